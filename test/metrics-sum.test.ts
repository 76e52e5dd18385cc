// The metrics of several workers as one text, and what the sum does about a worker that does not answer.
import { expect, test } from "bun:test";
import type { ToWorker } from "../src/cli/worker.ts";
import { type Counting, MetricsSum } from "../src/cli/worker-metrics.ts";
import type { LogEvent } from "../src/core/world.ts";
import { mergeMetrics } from "../src/telemetry/merge.ts";
import { Metrics } from "../src/telemetry/metrics.ts";
import { recordOf } from "./samples.ts";

function requestOf(model: string, totalMs: number): LogEvent {
  return { event: "request", record: { ...recordOf("any"), modelUsed: model, totalMs, firstTokenMs: 128 } };
}

/** Metrics that have taken these events, with one gauge that says how many. */
function textOf(events: readonly LogEvent[]): string {
  const metrics = new Metrics({ open: () => events.length });
  for (const event of events) metrics.take(event);
  return metrics.render();
}

const EVENTS: readonly LogEvent[] = [
  requestOf("Own#one", 125),
  requestOf("Own#one two", 2000),
  { event: "refused", fault: "invalid_api_key" },
  requestOf("Own#one", 8000),
  { event: "internal_error" },
  requestOf('Own#"5" 7', 500),
  requestOf("Own#one", 1000),
];

test("however events are dealt out, the sum is what one process would have counted", () => {
  const linesOf = (text: string) => text.split("\n").sort();
  for (let dealt = 0; dealt < 2 ** EVENTS.length; dealt++) {
    const isOnes = (_: LogEvent, at: number) => (dealt & (1 << at)) !== 0;
    const ones = EVENTS.filter(isOnes);
    const others = EVENTS.filter((event, at) => !isOnes(event, at));
    expect(linesOf(mergeMetrics([textOf(ones), textOf(others)]))).toEqual(linesOf(textOf(EVENTS)));
  }
});

test("a process that has ended counts with its counters, not with its gauges", () => {
  const merged = mergeMetrics([textOf(EVENTS.slice(0, 1))], [textOf(EVENTS)]);
  expect(merged).toContain('poundkey_refused_total{fault="invalid_api_key"} 1\n');
  expect(merged).toMatch(/^poundkey_requests_total\{model="Own#one",.*\} 4$/m);
  expect(merged).toContain("\nopen 1\n");
});

/** A worker that keeps what it is told. */
function workerOf(): Counting & { readonly told: ToWorker[] } {
  const told: ToWorker[] = [];
  return { told, send: (message) => void told.push(message) };
}

const counter = (count: number) => `# TYPE seen counter\nseen ${count}\n`;

test("those who ask during a round share its answer, and a worker that ends meanwhile is not waited for", () => {
  const sum = new MetricsSum();
  const [one, other] = [workerOf(), workerOf()];
  sum.join(one);
  sum.join(other);
  sum.scrape(one);
  sum.counted(one, counter(1));
  sum.counted(other, counter(2));
  expect(one.told).toEqual(["count", { merged: counter(3) }]);
  sum.scrape(one);
  sum.scrape(other);
  sum.counted(one, counter(5));
  sum.leave(other);
  expect(one.told.slice(2)).toEqual(["count", { merged: counter(7) }]);
  expect(other.told).toEqual(["count", "count"]);
});

test("a worker that does not answer is counted as it was when it last did", async () => {
  const sum = new MetricsSum();
  const { promise: merged, resolve } = Promise.withResolvers<ToWorker>();
  const silent = workerOf();
  const asker: Counting = { send: (message) => (message === "count" ? undefined : resolve(message)) };
  sum.join(silent);
  sum.counted(silent, counter(3));
  sum.scrape(asker);
  sum.counted(asker, counter(4));
  expect(await merged).toEqual({ merged: counter(7) });
});
