// Deleting half of a log of ten million requests beside a light load, `bun test/bench/loads/retention.ts`.
//
// `--rows N` fills fewer, `--rate N` changes the load (50 requests a second). The log is filled over a month; then
// `log.keep` becomes 15 days in the configuration of the running gateway. `POUNDKEY_BINARY` names the build to measure.
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { computePercentile, shown } from "../figures.ts";
import { fillLog, openRaw } from "../million/million-fill.ts";
import { type GatewayPlace, preparedGateway } from "../peers/gateways.ts";
import { cpuMicros, type Started, start } from "../processes.ts";
import { tableText } from "../report.ts";
import { nothingSeen, type Seen } from "./answer.ts";
import { type Arrivals, arrivals, closedLoop } from "./client.ts";
import { askGateway, runAlone, type Scenario } from "./stage.ts";

const KEYS = 500;
const TEMPLATES = 200;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 15;
const BEFORE_S = 60;
const LOAD_S = 10;
/** The pauses between two probes of the event loop, and of the file's lock. */
const PROBE_MS = 5;
const LOCK_MS = 20;
const MEGABYTE = 1024 * 1024;
const WHOLE: Scenario = { speech: "openai", manner: "~latency=20", chunks: null };
const STREAM: Scenario = { speech: "openai", manner: "~latency=20~chunks=20", chunks: 20 };

const { values: given } = parseArgs({
  options: { rows: { type: "string", default: "10000000" }, rate: { type: "string", default: "50" } },
});
const rows = Number(given.rows);
const rate = Number(given.rate);

interface Phase {
  readonly seen: Seen;
  readonly blocks: readonly number[];
  readonly locks: readonly number[];
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly logMegabytesMax: number;
}

/** Times each call until it is stopped, and returns the times. */
function sample(periodMs: number, once: () => Promise<unknown>): () => Promise<readonly number[]> {
  const times: number[] = [];
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const beganMs = performance.now();
      await once();
      times.push(performance.now() - beganMs);
      await Bun.sleep(periodMs);
    }
    return times;
  };
  const running = run();
  return () => {
    isStopped = true;
    return running;
  };
}

/** Waits for the file's lock as another process would, and looks every millisecond. */
async function takeLock(database: Database): Promise<void> {
  for (;;) {
    try {
      database.run("BEGIN IMMEDIATE");
      database.run("ROLLBACK");
      return;
    } catch {
      await Bun.sleep(1);
    }
  }
}

const sizeOf = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MEGABYTE;

/** Runs the load until `isOver`, which is asked about every ten seconds. */
async function observe(gateway: Started, path: string, isOver: (seconds: number) => boolean): Promise<Phase> {
  const seen = nothingSeen();
  const database = new Database(path, { readwrite: true });
  database.run("PRAGMA busy_timeout = 0");
  const health = `http://127.0.0.1:${gateway.port}/healthz`;
  const beganMs = performance.now();
  const beganMicros = cpuMicros(gateway.pid);
  let logMegabytesMax = 0;
  const blocks = sample(PROBE_MS, async () => (await fetch(health)).text());
  const locks = sample(LOCK_MS, async () => {
    logMegabytesMax = Math.max(logMegabytesMax, sizeOf(`${path}-wal`));
    await takeLock(database);
  });
  const load: Omit<Arrivals, "requests"> = {
    asks: [WHOLE, STREAM].map((scenario) => ({
      ask: askGateway(gateway.port, scenario),
      seen: scenario === WHOLE ? seen : nothingSeen(),
    })),
    periodMs: 2000 / rate,
    connectionsMax: 64,
    polledMs: 0,
  };
  const passed = () => (performance.now() - beganMs) / 1000;
  do await arrivals({ ...load, requests: (LOAD_S * rate) / 2 });
  while (!isOver(passed()));
  const phase = {
    seen,
    seconds: passed(),
    cpuSeconds: (cpuMicros(gateway.pid) - beganMicros) / 1e6,
    logMegabytesMax,
    blocks: await blocks(),
    locks: await locks(),
  };
  database.close();
  return phase;
}

function describe(name: string, { seen, blocks, locks, seconds, cpuSeconds, logMegabytesMax }: Phase) {
  const shares = [0.5, 0.99, 1];
  const times = [seen.latencies, blocks, locks].map((values) =>
    shares.map((share) => shown(computePercentile(values, share))).join(" / "),
  );
  return [name, ...[seconds, cpuSeconds].map(shown), ...times, shown(logMegabytesMax)];
}

function countOlder(path: string, beforeMs: number): number {
  using database = new Database(path, { readonly: true });
  const older = "SELECT count(*) AS rows FROM (SELECT 1 FROM request WHERE at_ms < ? LIMIT 1)";
  return database.query<{ rows: number }, [number]>(older).get(beforeMs)?.rows ?? 0;
}

async function fill(path: string, nowMs: number): Promise<void> {
  const raw = await openRaw(`sqlite:${path}`);
  await raw.run("PRAGMA cache_size = -2000000");
  await raw.run("PRAGMA journal_mode = OFF");
  const indexes = await raw.list(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'request' AND sql IS NOT NULL",
  );
  // An index that is made afterwards is written in its own order, which takes a tenth of the time.
  for (const [name] of indexes) await raw.run(`DROP INDEX ${name}`);
  await fillLog(raw, { rows, nowMs });
  for (const [, sql] of indexes) await raw.run(String(sql));
  await raw.run("PRAGMA journal_mode = WAL");
  await raw.close();
}

async function measure(place: GatewayPlace): Promise<void> {
  const setup = { name: "retention", keys: KEYS, charge: "always", more: ["log: { keep: 3650d }"] } as const;
  const prepared = await preparedGateway(setup, place);
  const config = join(place.directory, setup.name, "poundkey.yaml");
  const path = join(place.directory, setup.name, "poundkey.db");
  const seeding = await start(prepared);
  const templates = Array.from({ length: TEMPLATES }, (_, at) =>
    askGateway(seeding.port, at % 2 === 0 ? WHOLE : STREAM, "Local#m", at),
  );
  const none = askGateway(seeding.port, WHOLE);
  await closedLoop((at) => templates[at] ?? none, { connections: 8, requests: TEMPLATES }, nothingSeen());
  await seeding.stop();
  const filledMs = performance.now();
  const nowMs = Date.now();
  await fill(path, nowMs);
  console.log(`${rows} requests filled in ${shown((performance.now() - filledMs) / 1000)} s`);
  const before = sizeOf(path);

  const gateway = await start(prepared);
  await observe(gateway, path, () => true);
  const usual = await observe(gateway, path, (seconds) => seconds >= BEFORE_S);
  const text = await Bun.file(config).text();
  await Bun.write(config, text.replace("keep: 3650d", `keep: ${KEPT_DAYS}d`));
  const clean = await observe(gateway, path, () => countOlder(path, nowMs - KEPT_DAYS * DAY_MS) === 0);
  const head = [
    "",
    "s",
    "CPU s",
    "request p50 / p99 / longest, ms",
    "loop blocked, ms",
    "lock, ms",
    "log, MB",
  ];
  const lines = [describe("nothing to delete", usual), describe("deleting", clean)];
  console.log(tableText({ head, rows: lines }));
  await gateway.stop();
  console.log(`the file: ${Math.round(before)} MB before, ${Math.round(sizeOf(path))} MB after`);
}

await runAlone(measure);
