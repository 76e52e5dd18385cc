// Hooks in a response with tools: they see what a model reads of tools and what it asks of them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../../src/core/json/json.ts";
import { HIDDEN, type HookServer, startHook } from "../../../steps/hooks/server.ts";
import { type LoopWorld, MODELS, script, startLoopWorld } from "./loop-world.ts";

let hook: HookServer;
let world: LoopWorld;
beforeAll(async () => {
  hook = await startHook();
  const rows = [
    `{ name: asked, url: "${hook.url}", at: [request], keys: [asked] }`,
    `{ name: called, url: "${hook.url}", at: [request], models: ["mcp:old#*"], keys: [called] }`,
  ];
  world = await startLoopWorld({ more: `hooks: [${rows.join(", ")}]` });
});
afterAll(async () => {
  await world.stop();
  await hook.stop();
});

async function respond(name: string, model: string, input: string) {
  const { secret } = await world.newKey({ name, requests_per_day: null });
  return world.respond({ model, input }, { authorization: `Bearer ${secret}` });
}

test.each(MODELS)("a tool's result is masked before %s is told of it", async (model) => {
  world.servers.old?.plan("tools/call", {
    kind: "answer",
    message: { result: { content: [{ type: "text", text: "one canarybird sings" }] } },
  });
  const { status } = await respond("asked", model, script("call old_echo({})", "say: done"));
  expect(status).toBe(200);
  const sent = JSON.stringify(world.simulator.calls.all().at(-1)?.body);
  expect(sent).toContain(`one ${HIDDEN} sings`);
  expect(sent).not.toContain("canarybird");
});

test.each(MODELS)("what %s asks of a tool is masked before its server sees it", async (model) => {
  const { output } = await respond(
    "called",
    model,
    script('call old_echo({"text":"a canarybird"})', "say: a"),
  );
  const sent = asObject(world.servers.old?.listSeen("tools/call").at(-1)?.params);
  expect(sent.arguments).toEqual({ text: `a ${HIDDEN}` });
  expect(output.find(({ type }) => type === "mcp_call")).toMatchObject({ output: `echo: a ${HIDDEN}` });
});

test("a call that a hook refuses isn't made, and the model is told", async () => {
  const sent = world.servers.old?.listSeen("tools/call").length;
  const { body, output } = await respond(
    "called",
    "Local#a",
    script('call old_echo({"text":"forbidden"})', "say: a"),
  );
  expect(body.status).toBe("completed");
  expect(output[1]).toMatchObject({ status: "failed", error: { type: "mcp_tool_execution_error" } });
  expect(world.servers.old?.listSeen("tools/call").length).toBe(sent ?? 0);
  const text = asArray(asObject(output.at(-1)).content).map((part) => asObject(part).text);
  expect(text).toEqual(["a"]);
});
