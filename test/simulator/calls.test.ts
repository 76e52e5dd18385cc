// The simulator's memory stays bounded under any load.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ObservedCall } from "../../src/simulator/types.ts";
import { BODY_CHARACTERS_MAX, CALLS_MAX, CallLog } from "./calls.ts";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());

function callOf(bodyText: string): ObservedCall {
  const method = "POST";
  const path = "/v1/chat/completions";
  const model = "sim-mini";
  return { dialect: "openai", method, path, model, headers: {}, bodyText, startedAt: 0 };
}

test("the latest calls are recorded, and all are counted", () => {
  const log = new CallLog();
  const asked = 2 * CALLS_MAX + 7;
  for (let at = 0; at < asked; at++) log.end(log.add(callOf(`{"at":${at}}`)), "finished", 0);
  expect([log.total, log.open]).toEqual([asked, 0]);
  const kept = log.all();
  expect(kept.map(({ id }) => id)).toEqual(
    Array.from({ length: CALLS_MAX }, (_, at) => asked - CALLS_MAX + at),
  );
  expect([kept[0]?.body, log.last()?.body]).toEqual([{ at: asked - CALLS_MAX }, { at: asked - 1 }]);
  log.reset();
  expect([log.all(), log.last(), log.total]).toEqual([[], undefined, 0]);
});

test("long bodies are recorded up to a bound, and the latest is always kept", () => {
  const log = new CallLog();
  const long = `"${"x".repeat(BODY_CHARACTERS_MAX / 8)}"`;
  for (let at = 0; at < 20; at++) log.add(callOf(long));
  expect(log.all().map(({ id }) => id)).toEqual([13, 14, 15, 16, 17, 18, 19]);
  const longest = "x".repeat(BODY_CHARACTERS_MAX + 1);
  log.add(callOf(longest));
  expect(log.all().map(({ body }) => body)).toEqual([longest]);
  log.add(callOf("{}"));
  expect(log.all().map(({ body }) => body)).toEqual([{}]);
});

test("dropped calls take no memory", async () => {
  const log = new CallLog();
  const early = Array.from({ length: 1000 }, () => new WeakRef(log.add(callOf("{}"))));
  for (let at = 0; at < CALLS_MAX; at++) log.add(callOf("{}"));
  expect(log.all()[0]?.id).toBe(early.length);
  await Bun.sleep(0);
  Bun.gc(true);
  // A few may stay alive, since the collector scans the stack conservatively.
  expect(early.filter((call) => call.deref() !== undefined).length).toBeLessThan(early.length / 10);
});

test("counts of flaky calls are dropped too, oldest first", async () => {
  const statusOf = async (model: string) => {
    const response = await fetch(`${sim.url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer any", "content-type": "application/json" },
      body: JSON.stringify({ model: `${model}~flaky=1`, messages: [{ role: "user", content: "hi" }] }),
    });
    await response.text();
    return response.status;
  };
  expect([await statusOf("first"), await statusOf("first")]).toEqual([503, 200]);
  const others = Array.from({ length: 1000 }, (_, at) => `other-${at}`);
  expect(new Set(await Promise.all(others.map(statusOf)))).toEqual(new Set([503]));
  expect([await statusOf("other-999"), await statusOf("first")]).toEqual([200, 503]);
});
