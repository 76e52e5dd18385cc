// Tools of the gateway's own servers in a turn of a connection: the same events as over HTTP, and the next turn goes on from them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { type LoopWorld, OURS, script, startLoopWorld } from "../tools/loop/loop-world.ts";
import { SocketClient } from "./client.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld();
});
afterAll(() => world.stop());

const MODEL = "Local#some-model";

test("a turn calls tools, and the next one knows their results", async () => {
  const client = await new SocketClient(world.url, world.secret).open();
  const input = script('call old_echo({"text":"a"})', "say: done");
  const frames = await client.create({ model: MODEL, input, tools: [OURS], store: false });
  const types = frames.map(({ type }) => String(type));
  expect(types.filter((type) => type.startsWith("response.mcp_call"))).toEqual([
    "response.mcp_call.in_progress",
    "response.mcp_call_arguments.delta",
    "response.mcp_call_arguments.delta",
    "response.mcp_call_arguments.done",
    "response.mcp_call.completed",
  ]);
  expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(frames.map((_, at) => at));
  const response = asObject(frames.at(-1)?.response);
  expect(asArray(response.output).map((item) => asObject(item).type)).toEqual([
    "mcp_list_tools",
    "mcp_call",
    "message",
  ]);
  const next = await client.create({
    model: MODEL,
    input: "say: again",
    tools: [OURS],
    store: false,
    previous_response_id: response.id,
  });
  expect(next.at(-1)).toMatchObject({ type: "response.completed" });
  expect(asArray(asObject(next.at(-1)?.response).output)).toHaveLength(1);
  expect(JSON.stringify(world.simulator.calls.all().at(-1)?.body)).toContain("echo: a");
  client.close();
});

test("a warm-up with such tools is refused", async () => {
  const client = await new SocketClient(world.url, world.secret).open();
  const frames = await client.create({ model: MODEL, input: "Hi", tools: [OURS], generate: false });
  expect(frames.at(-1)).toMatchObject({ type: "error", error: { param: "generate" } });
  client.close();
});
