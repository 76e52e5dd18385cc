// The combined metrics of several workers, including workers that don't answer.
import { expect, test } from "bun:test";
import { parseFromWorker, type ToWorker } from "../../src/app/workers/worker.ts";
import { type Counting, MetricsSum } from "../../src/app/workers/workers.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { formatMetrics } from "../../src/telemetry/exposition.ts";
import { addSums, type Sums } from "../../src/telemetry/sums.ts";
import { makeRecord } from "../harness/samples.ts";
import { newMetrics } from "./metrics-world.ts";

function requestOf(model: string, totalMs: number): LogEvent {
  return { event: "request", record: { ...makeRecord("any"), modelUsed: model, totalMs, firstTokenMs: 128 } };
}

/** The report of a worker with these events and one gauge of their number. */
function sumsOf(events: readonly LogEvent[]): Sums {
  const metrics = newMetrics({ poundkey_requests_open: () => events.length });
  for (const event of events) metrics.count(event);
  const told = parseFromWorker(JSON.parse(JSON.stringify({ counted: metrics.sums() })));
  return told !== null && typeof told === "object" && "counted" in told ? told.counted : {};
}

const EVENTS: readonly LogEvent[] = [
  requestOf("Own#one", 125),
  requestOf("Own#one two", 2000),
  { event: "refused", code: "invalid_api_key" },
  requestOf("Own#one", 8000),
  { event: "internal_error" },
  // With fractions of a USD, the sum would depend on the order.
  { ...requestOf("Own#one", 3), written_off_nano_usd: 100_000_000 },
  { ...requestOf("Own#one", 4), written_off_nano_usd: 200_000_000 },
  requestOf('Own#"5" 7', 500),
  requestOf("Own#one", 1000),
];

test("however events are distributed, the sum equals one process's counts", () => {
  const last = 2 ** EVENTS.length - 1;
  const reports = Array.from({ length: last + 1 }, (_, dealt) =>
    sumsOf(EVENTS.filter((_event, at) => (dealt & (1 << at)) !== 0)),
  );
  const whole = reports[last];
  for (const [dealt, ones] of reports.entries()) {
    const others = reports[last - dealt] ?? {};
    const expected = { ...whole, poundkey_requests_open: ones.poundkey_requests_open };
    expect(addSums([ones], [others])).toEqual(expected);
  }
});

test("a process that has ended counts with its counters, not its gauges", () => {
  const merged = formatMetrics(addSums([sumsOf(EVENTS.slice(0, 1))], [sumsOf(EVENTS)]));
  expect(merged).toContain('poundkey_refused_total{fault="invalid_api_key"} 1\n');
  expect(merged).toMatch(/^poundkey_requests_total\{provider="Own",model="Own#one",.*\} 6$/m);
  expect(merged).toContain("\npoundkey_requests_open 1\n");
});

test("CPU, memory and files are summed; the start is the earliest, and the version is not summed", () => {
  const of = (cpu: number, rss: number, startMs: number, version: string) =>
    newMetrics({
      poundkey_build_info: () => new Map([[version, 1]]),
      process_cpu_seconds_total: () => cpu,
      process_resident_memory_bytes: () => rss,
      process_start_time_seconds: () => startMs,
      process_open_fds: () => 20,
      process_max_fds: () => 1024,
    }).sums();
  const one = of(1_500_000, 1000, 2000, "1.0.0");
  const other = of(2_000_000, 300, 1000, "1.0.0");
  const lines = formatMetrics(addSums([one, other], [of(500_000, 9, 5, "0.9.0")])).split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("#") && !line.endsWith(" 0"))).toEqual([
    'poundkey_build_info{version="1.0.0"} 1',
    "process_cpu_seconds_total 4",
    "process_resident_memory_bytes 1300",
    "process_start_time_seconds 1",
    "process_open_fds 40",
    "process_max_fds 2048",
    "poundkey_resident_bytes 1300",
  ]);
});

test("metrics known here are summed even from a worker of another version", () => {
  const told = {
    poundkey_replayed_total: { "": [2] },
    poundkey_refused_total: { 'fault="x"': [1], 'fault="y"': ["1"] },
    poundkey_of_tomorrow_total: { "": [1] },
    poundkey_cost_usd_total: "5",
  };
  expect(parseFromWorker({ counted: told })).toEqual({
    counted: { poundkey_replayed_total: { "": [2] }, poundkey_refused_total: { 'fault="x"': [1] } },
  });
  expect(parseFromWorker({ counted: "# TYPE" })).toEqual({ counted: {} });
});

/** A worker that records the messages it gets. */
function workerOf(): Counting & { readonly told: ToWorker[] } {
  const told: ToWorker[] = [];
  return { told, send: (message) => void told.push(message) };
}

const counted = (count: number): Sums => ({ poundkey_replayed_total: { "": [count] } });
const text = (count: number) => formatMetrics(counted(count));

test("concurrent scrapes share one answer, and don't wait for a worker that ends", () => {
  const sum = new MetricsSum();
  const one = workerOf();
  const other = workerOf();
  sum.join(one);
  sum.join(other);
  sum.scrape(one);
  sum.receiveSums(one, counted(1));
  sum.receiveSums(other, counted(2));
  expect(one.told).toEqual(["count", { merged: text(3) }]);
  sum.scrape(one);
  sum.scrape(other);
  sum.receiveSums(one, counted(5));
  sum.leave(other);
  expect(one.told.slice(2)).toEqual(["count", { merged: text(7) }]);
  expect(other.told).toEqual(["count", "count"]);
});

test("a worker that doesn't answer counts with its last answer", async () => {
  const sum = new MetricsSum();
  const { promise: merged, resolve } = Promise.withResolvers<ToWorker>();
  const silent = workerOf();
  const asker: Counting = { send: (message) => (message === "count" ? undefined : resolve(message)) };
  sum.join(silent);
  sum.receiveSums(silent, counted(3));
  sum.scrape(asker);
  sum.receiveSums(asker, counted(4));
  expect(await merged).toEqual({ merged: text(7) });
});
