// Hooks around calls of tools: they see every text of arguments and results, and mask in place.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { HIDDEN, type HookServer, startHook } from "../../steps/hooks/server.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let hook: HookServer;
let world: ToolsWorld;
beforeAll(async () => {
  hook = await startHook();
  const rows = [
    `{ name: both, url: "${hook.url}", at: [request, answer], models: ["mcp:old#*"], keys: [both] }`,
    `{ name: asked, url: "${hook.url}", at: [request], models: ["mcp:old#*"], keys: [asked] }`,
  ];
  world = await startToolsWorld({ more: `hooks: [${rows.join(", ")}]` });
});
afterAll(async () => {
  await world.stop();
  await hook.stop();
});

async function call(name: string, text: string) {
  const { secret } = await world.newKey({ name, requests_per_day: null });
  const params = { name: "old_echo", arguments: { text, deep: [{ note: text }] } };
  return world.ask("tools/call", params, { secret });
}

test("arguments are masked in place before the server sees them", async () => {
  await call("asked", "one canarybird sings");
  const sent = world.servers.old?.listSeen("tools/call").at(-1)?.params;
  const masked = `one ${HIDDEN} sings`;
  expect(asObject(sent).arguments).toEqual({ text: masked, deep: [{ note: masked }] });
});

test("results are changed in place before the client sees them", async () => {
  const result = await call("both", "one canaryseed sings");
  expect(JSON.stringify(result.content)).toContain("canary");
  expect(JSON.stringify(world.servers.old?.listSeen("tools/call").at(-1)?.params)).not.toContain(
    "canaryseed",
  );
});

test("a refusal is a result that says so: nothing is sent, and nothing charged", async () => {
  const sent = world.servers.old?.listSeen("tools/call").length;
  const result = await call("asked", "forbidden");
  expect(result).toMatchObject({ isError: true, _meta: { "poundkey/error": { code: "content_blocked" } } });
  expect(world.servers.old?.listSeen("tools/call").length).toBe(sent ?? 0);
  expect((await world.rows())[0]).toMatchObject({
    outcome: "refused",
    error_code: "content_blocked",
    cost_usd: 0,
  });
});
