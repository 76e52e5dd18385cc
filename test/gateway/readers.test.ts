// The readers of a streamed answer share one fold of it: the log, repeated requests, spans and the cache.
import { afterAll, afterEach, beforeAll, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { BINARY, startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type Collector, startCollector } from "../telemetry/collector.ts";
import { asking } from "../whole/world/world.ts";

const CACHED = { "x-poundkey-cache": "on" };
const CONTENT = "log: { content: true }";

let collector: Collector;
let bare: UnderTest;
let logging: UnderTest;
let tracing: UnderTest;
let folds: Mock<typeof CHAT.fold>;

beforeAll(async () => {
  collector = startCollector();
  const otlp = `telemetry: { otlp: { endpoint: "${collector.url}/", content: true } }`;
  [bare, logging, tracing] = await Promise.all([
    startUnderTest(),
    startUnderTest({ more: CONTENT }),
    startUnderTest({ more: `${CONTENT}\n${otlp}` }),
  ]);
});
afterAll(async () => {
  await Promise.all([bare.stop(), logging.stop(), tracing.stop()]);
  await collector.stop();
});
beforeEach(() => {
  folds = spyOn(CHAT, "fold");
});
afterEach(() => folds.mockRestore());

const onces = () => ({ "idempotency-key": crypto.randomUUID() });

test.skipIf(BINARY !== undefined).each([
  ["nobody", () => bare, {}, true, 0],
  ["a repeated request", () => bare, onces(), true, 1],
  ["the log", () => logging, {}, true, 1],
  ["the log and a repeated request", () => logging, onces(), true, 1],
  ["the log and the cache", () => logging, CACHED, true, 1],
  ["the log, a repeated request and spans", () => tracing, onces(), true, 1],
  // Spans have what the provider gave, which a step may change, and the cache is one.
  ["the log, the cache and spans", () => tracing, CACHED, true, 2],
  ["the log and a repeated request, whole", () => logging, onces(), false, 0],
  ["the log and the cache, whole", () => logging, CACHED, false, 0],
] as const)("%s: folds of the stream", async (_readers, gateway, headers, stream, count) => {
  const asked = asking("Local#sim-mini", `say: one ${crypto.randomUUID()}`, { stream });
  const response = await gateway().chat(asked, { headers });
  expect(response.headers.get("x-poundkey-cache") !== null).toBe(headers === CACHED);
  expect(await response.text()).toContain("one");
  expect(folds).toHaveBeenCalledTimes(count);
});
