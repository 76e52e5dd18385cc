// Rights that are taken away while a call comes: its key is known by then, and what it may call isn't what it was.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BINARY } from "../../harness/harness.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
/** Done once, while the gateway asks a server for its lists. */
let duringList: (() => Promise<void>) | null = null;
beforeAll(async () => {
  const options = { era: "older", sessions: true } as const;
  world = await startToolsWorld({
    servers: { one: options, two: options, three: options, four: options },
    fields: "price_per_call: 0.002, prompts: true, resources: true",
    fetch: async (url, init) => {
      const isList = (await new Response(init.body).text()).includes('/list"');
      const todo = isList ? duringList : null;
      if (isList) duringList = null;
      await todo?.();
      return fetch(url, init);
    },
  });
});
afterAll(() => world.stop());

async function change(path: string, fields: JsonObject): Promise<void> {
  const response = await fetch(`${world.url}/admin/v1/${path}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  expect(response.status).toBe(200);
}

// The binary calls its servers without the `fetch` of the world.
test.skipIf(BINARY !== undefined).each<[string, string, string, JsonObject, "keys" | "accounts", string]>([
  ["a tool", "one", "tools/call", { name: "one_echo", arguments: {} }, "keys", "Unknown tool: one_echo"],
  ["a tool", "two", "tools/call", { name: "two_echo", arguments: {} }, "accounts", "Unknown tool: two_echo"],
  ["a prompt", "three", "prompts/get", { name: "three_greet" }, "keys", "Unknown prompt: three_greet"],
])("%s of %s isn't called any more", async (_what, server, method, params, things, message) => {
  const accountId = await world.newAccount();
  await world.topUp(accountId, 1);
  const { id, secret } = await world.newKey({ account_id: accountId });
  duringList = () =>
    change(`${things}/${things === "keys" ? id : accountId}`, { allowed_tools: ["four_echo"] });
  expect(await world.ask(method, params, { secret })).toEqual({ code: -32602, message });
  expect(world.servers[server]?.listSeen(method)).toEqual([]);
  const { data } = await world.read("/refusals?limit=1");
  expect(asArray(data).map(asObject)[0]).toMatchObject({ code: "tool_not_allowed", key_id: id });
  expect(await world.read(`/accounts/${accountId}`)).toMatchObject({ balance_usd: 1, held_usd: 0 });
});
