// The Idempotency-Key of a response with tools covers all of it: a repeat asks no model and runs no tool.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type LoopWorld, MODELS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld();
});
afterAll(() => world.stop());

const INPUT = script(
  'call old_echo({"text":"a"}) call old_echo({"text":"b"})',
  "call old_fail({})",
  "say: done",
);
const count = () => [world.simulator.calls.all().length, world.servers.old?.listSeen("tools/call").length];

test.each(MODELS)("%s", async (model) => {
  const once = { "idempotency-key": `once ${model}`.replaceAll(" ", "-") };
  const first = await world.respond({ model, input: INPUT }, once);
  expect(first.status).toBe(200);
  const before = count();
  const again = await world.respond({ model, input: INPUT }, once);
  expect(count()).toEqual(before);
  expect(again.body.id).toBe(first.body.id);
  expect(again.output.map(({ type, output }) => [type, output])).toEqual(
    first.output.map(({ type, output }) => [type, output]),
  );
  expect(again.body.usage).toEqual(first.body.usage);
  const other = await world.respond({ model, input: "say: other" }, once);
  expect(other.status).toBe(409);
});

test("requests with it at the same time are one", async () => {
  const once = { "idempotency-key": "at-once" };
  const before = world.servers.old?.countRuns("echo") ?? 0;
  const asked = { model: "Local#a", input: INPUT };
  const all = await Promise.all([1, 2, 3].map(() => world.respond(asked, once)));
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
  expect((world.servers.old?.countRuns("echo") ?? 0) - before).toBe(2);
});
