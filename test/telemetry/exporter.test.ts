// The exporter against a collector that is slow, refuses, is broken or gone: it never holds more than its bounds, and counts
// each item that it gives up.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Fetch, LogEvent } from "../../src/core/world/world.ts";
import { Exporter } from "../../src/telemetry/exporter.ts";
import { OtlpWriter } from "../../src/telemetry/otlp-json.ts";
import { readShortText } from "../../src/transport/short-text.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { until } from "../whole/world/until.ts";
import { type Collector, startCollector } from "./collector.ts";

let collector: Collector;
let clock: ManualClock;
let events: LogEvent[];
/** An object, because an exporter of an earlier test may still count. */
let seen: { dropped: number };

beforeEach(() => {
  collector = startCollector();
  [clock, events, seen] = [new ManualClock(), [], { dropped: 0 }];
});
afterEach(() => collector.stop());

function newExporter(url = `${collector.url}/v1/traces`, send: Fetch = fetch): Exporter {
  const own = seen;
  const told = events;
  return new Exporter({
    signal: "traces",
    destination: { url, headers: {} },
    timeoutMs: 10_000,
    resource: new OtlpWriter().text("service.name", "test").take(),
    version: "1.0.0",
    clock,
    fetch: send,
    readText: readShortText,
    log: (event) => void told.push(event),
    onDropped: (_, count) => {
      own.dropped += count;
    },
  });
}

function writeItem(name: string): Uint8Array {
  const writer = new OtlpWriter();
  writer
    .openSpan({
      traceId: "1".repeat(32),
      spanId: "2".repeat(16),
      parentSpanId: null,
      kind: "server",
      name,
      startMs: 1_795_000_000_000.25,
      endMs: 1_795_000_000_001,
    })
    .int("a", 1)
    .closeSpan({ isError: false, link: null });
  return writer.take();
}

const ITEM = writeItem("POST /");

function fill(exporter: Exporter, count: number): void {
  for (let at = 0; at < count; at++) exporter.add(ITEM, 1);
}

const calls = () => collector.calls.get("/v1/traces") ?? 0;
const nextCall = (count: number) => until(`call ${count}`, () => calls() >= count);

/** Moves the clock a second at a time, as calls are answered in real time. */
async function pass(seconds: number, isDone: () => boolean): Promise<void> {
  for (let at = 0; at < seconds && !isDone(); at++) {
    await clock.move(1000);
    await Bun.sleep(5);
  }
}

test("sends what waits after a second, and a full batch at once", async () => {
  const exporter = newExporter();
  fill(exporter, 3);
  expect(calls()).toBe(0);
  await clock.move(1000);
  await until("3 spans arrive", () => collector.spans.length === 3);
  fill(exporter, 512);
  await until("a batch arrives", () => collector.spans.length === 515);
  expect([calls(), collector.errors, seen.dropped]).toEqual([2, [], 0]);
});

test("a time keeps all of its digits", async () => {
  const exporter = newExporter();
  fill(exporter, 1);
  await exporter.end(5000);
  expect(collector.spans[0]?.startNanos).toBe(1_795_000_000_000_250_000n);
});

test.each([
  [429, { "retry-after": "7" }, 7000],
  [503, { "retry-after": "3" }, 3000],
  [503, {}, 1000],
  [502, { "retry-after": "garbage" }, 1000],
  [429, { "retry-after": "86400" }, 30_000],
])("%p with %p is tried again after %p ms", async (status, headers: Record<string, string>, waitMs) => {
  const exporter = newExporter();
  collector.answer = () => new Response("later", { status, headers });
  fill(exporter, 2);
  await clock.move(1000);
  await nextCall(1);
  await until("it knows", () => events.length === 1);
  expect(events).toMatchObject([{ event: "telemetry_failed", signal: "traces", cause: `status ${status}` }]);
  await clock.move(waitMs - 1);
  expect(calls()).toBe(1);
  collector.answer = null;
  await clock.move(1);
  await until("both arrive", () => collector.spans.length === 2);
  await until("it says so", () => events.length === 2);
  expect([seen.dropped, events[1]?.event]).toEqual([0, "telemetry_restored"]);
});

test.each([
  [{ code: "ECONNREFUSED" }, "no connection: connection refused (ECONNREFUSED)"],
  [{ code: "can't reach https://user:secret@collector.example" }, "no connection"],
  [{}, "no connection"],
])("of an error with %p, only a code is told", async (fields, cause) => {
  const send = () =>
    Promise.reject(Object.assign(new Error("https://user:secret@collector.example"), fields));
  const exporter = newExporter(undefined, send);
  fill(exporter, 1);
  await clock.move(1000);
  await until("it knows", () => events.length === 1);
  expect(events).toMatchObject([{ event: "telemetry_failed", cause }]);
});

test.each([400, 401, 404, 413, 415, 500, 307])(
  "%p is final: the batch is dropped and counted",
  async (status) => {
    const exporter = newExporter();
    collector.answer = () => new Response(null, { status, headers: { location: "http://127.0.0.1:1/" } });
    fill(exporter, 4);
    await clock.move(1000);
    await until("they are dropped", () => seen.dropped === 4);
    expect([calls(), exporter.waiting]).toEqual([1, 0]);
  },
);

test.each(["3", 3])("a partial success counts the items that were refused (%p)", async (rejectedSpans) => {
  const exporter = newExporter();
  collector.answer = () => Response.json({ partialSuccess: { rejectedSpans, errorMessage: "too old" } });
  fill(exporter, 10);
  await clock.move(1000);
  await until("they are counted", () => seen.dropped === 3);
  expect(calls()).toBe(1);
});

test("a collector that is gone: at most 8,192 items wait, others are dropped, and a batch after five calls", async () => {
  await collector.stop();
  const exporter = newExporter("http://127.0.0.1:1/v1/traces");
  fill(exporter, 20_000);
  expect(exporter.waiting).toBe(8192);
  // One batch is under way.
  expect(seen.dropped).toBe(20_000 - 8192 - 512);
  await pass(60, () => seen.dropped >= 20_000 - 8192);
  expect(seen.dropped).toBe(20_000 - 8192);
  expect(events.map(({ event }) => event)).toEqual(["telemetry_failed"]);
});

test("large items: at most 16 MB wait, in batches of at most 2 MB", async () => {
  const held = Promise.withResolvers<Response>();
  const bodies: number[] = [];
  const exporter = newExporter();
  collector.answer = () => {
    bodies.push(Number(collector.headers.at(-1)?.get("content-length")));
    return bodies.length === 1 ? held.promise : null;
  };
  const item = writeItem("x".repeat(300_000));
  for (let at = 0; at < 100; at++) exporter.add(item, 1);
  await clock.move(1000);
  await nextCall(1);
  for (let at = 0; at < 100; at++) exporter.add(item, 1);
  expect(exporter.waiting * item.length).toBeLessThanOrEqual(16_000_000);
  expect(seen.dropped).toBe(200 - exporter.waiting - Math.floor(2_000_000 / item.length));
  held.resolve(Response.json({}));
  await exporter.end(5000);
  expect(Math.max(...bodies)).toBeLessThan(2_100_000);
});

test("a slow collector is given up after the time limit, and nothing waits for it at the end", async () => {
  const exporter = newExporter();
  collector.answer = () => new Promise(() => {});
  fill(exporter, 600);
  await nextCall(1);
  const ended = exporter.end(3000);
  await clock.move(3000);
  await ended;
  // The batch under way isn't known to be lost.
  expect(seen.dropped).toBe(88);
});

test("at the end, what waits for its next call is sent at once", async () => {
  const exporter = newExporter();
  collector.answer = () => new Response(null, { status: 503 });
  fill(exporter, 5);
  await clock.move(1000);
  await until("it knows", () => events.length === 1);
  collector.answer = null;
  await exporter.end(3000);
  expect([collector.spans.length, seen.dropped]).toEqual([5, 0]);
});
