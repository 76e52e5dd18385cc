// Migrates a large store of 1.0 under what stands for systemd and Kubernetes, and kills it once in the middle:
// `bun test/app/large-migration.ts [MEGABYTES [SECONDS]]`.
//
// SECONDS (300) is the unit's TimeoutStartSec, which each EXTEND_TIMEOUT_USEC of the notify socket extends. The probes are the
// chart's: /healthz every 2 s until the first answer, then every 10 s. Needs python3, which reads the socket, and
// systemd-notify. Exits with 1 if the gateway would have been killed, or isn't whole afterwards.
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";

const MEGABYTES = Number(process.argv[2] ?? 2000);
const START_MS = Number(process.argv[3] ?? 300) * 1000;
/** The schema of 1.0. */
const EARLIER = 14;
const ROWS_PER_MEGABYTE = 700;
const ROWS_AT_ONCE = 70_000;
const STARTUP_EVERY_MS = 2000;
const STARTUP_FAILURES_MAX = 150;
const LIVE_EVERY_MS = 10_000;
const LIVE_FAILURES_MAX = 6;
const PROBE_MS = 5000;

const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");
const SOCKET = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    open(sys.argv[2], "a").write(s.recv(65536).decode().replace("\\n", " ") + "\\n")
`;

const folder = mkdtempSync(join(tmpdir(), "poundkey-large-"));
const at = (name: string) => join(folder, name);
const file = at("poundkey.db");
const { steps, version } = makeSqliteSchema();
const beganMs = performance.now();

function say(words: string): void {
  console.log(`${((performance.now() - beganMs) / 1000).toFixed(0).padStart(5)} s  ${words}`);
}

function fail(words: string): never {
  say(`FAILED: ${words}`);
  process.exit(1);
}

function makeStore(): void {
  using database = new Database(file, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = OFF");
  for (const step of steps.slice(0, EARLIER)) database.run(step);
  const add = database.query(`WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO request (id, request_id, key_id, account_id, at_ms, model_asked, model_used, attempts, stream, status,
      prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano,
      usage_source, ended, total_ms, trace, ended_at_ms)
    SELECT 'chatcmpl-' || i, 'req-' || i, 'key_1', 'default', 1790000000000 + i, 'OpenAI#gpt-5.4', 'OpenAI#gpt-5.4', 1, 0, 200,
      100, 50, 0, 0, 0, 0, 0, 0, 'reported', 'answered', 900, hex(zeroblob(500)), 1790000000900 + i FROM n`);
  const rows = MEGABYTES * ROWS_PER_MEGABYTE;
  for (let from = 1; from <= rows; from += ROWS_AT_ONCE)
    add.run(from, Math.min(rows, from + ROWS_AT_ONCE - 1));
  database.run(`PRAGMA user_version = ${EARLIER}`);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function readVersion(): number {
  using database = new Database(file, { readonly: true });
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

interface Gateway {
  readonly process: ReturnType<typeof Bun.spawn>;
  readonly port: number;
  /** True once it has said that it is ready. */
  readonly isReady: () => boolean;
  readonly deadlineMs: () => number;
}

function start(port: number): Gateway {
  const told = at("told");
  rmSync(told, { force: true });
  const startedMs = performance.now();
  const child = Bun.spawn([process.execPath, MAIN, "serve", "--port", String(port)], {
    cwd: folder,
    env: { ...process.env, NOTIFY_SOCKET: at("notify"), POUNDKEY_STORE: `sqlite:${file}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let deadlineMs = startedMs + START_MS;
  let lines = 0;
  const read = () => (existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : []);
  const look = () => {
    const all = read();
    for (const line of all.slice(lines)) {
      const [, micros] = /EXTEND_TIMEOUT_USEC=(\d+)/.exec(line) ?? [];
      if (micros !== undefined) deadlineMs = Math.max(deadlineMs, performance.now() + Number(micros) / 1000);
    }
    lines = all.length;
    return all;
  };
  return {
    process: child,
    port,
    isReady: () => look().some((line) => line.includes("READY=1")),
    deadlineMs: () => {
      look();
      return deadlineMs;
    },
  };
}

interface Alive {
  readonly status: string;
  readonly work?: string;
}

async function probe(port: number): Promise<Alive | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Watches it as systemd and Kubernetes would, until it is ready or `isOver` says so. */
async function watch(gateway: Gateway, isOver: () => boolean): Promise<void> {
  let failures = 0;
  let isStarted = false;
  let shown = "";
  while (!gateway.isReady() && !isOver()) {
    if (gateway.process.exitCode !== null) fail(`it exited with ${gateway.process.exitCode}`);
    if (performance.now() > gateway.deadlineMs()) fail("systemd's time to start is over");
    const alive = await probe(gateway.port);
    failures = alive === null ? failures + 1 : 0;
    isStarted ||= alive !== null;
    if (failures > (isStarted ? LIVE_FAILURES_MAX : STARTUP_FAILURES_MAX))
      fail(`${failures} probes in a row got no answer`);
    const words = alive?.work ?? "";
    if (words.split(":")[0] !== shown) {
      shown = words.split(":")[0] ?? "";
      say(`healthz: ${JSON.stringify(alive)}`);
    }
    await Bun.sleep(isStarted && failures > 0 ? LIVE_EVERY_MS : STARTUP_EVERY_MS);
  }
}

const socket = Bun.spawn(["python3", "-c", SOCKET, at("notify"), at("told")], {
  stdio: ["ignore", "ignore", "inherit"],
});
try {
  makeStore();
  say(`made a store of ${Math.round(statSync(file).size / 1e6)} MB with schema ${EARLIER}`);
  const claimed = Bun.serve({ port: 0, fetch: () => new Response() });
  const port = claimed.port ?? 0;
  await claimed.stop(true);
  const first = start(port);
  const middle = EARLIER + Math.floor((version - EARLIER) / 2);
  await watch(first, () => readVersion() >= middle);
  first.process.kill("SIGKILL");
  await first.process.exited;
  const reached = readVersion();
  say(`killed in the middle, at schema ${reached} of ${version}`);
  if (reached <= EARLIER) fail("nothing of the migration was kept");
  const second = start(port);
  await watch(second, () => false);
  say(`ready, with schema ${readVersion()}`);
  second.process.kill("SIGTERM");
  await second.process.exited;
  const verify = Bun.spawnSync([process.execPath, MAIN, "ledger", "verify", "--store", `sqlite:${file}`], {
    cwd: folder,
  });
  say(`ledger verify: ${verify.stdout.toString().trim().split("\n")[0]}`);
  if (verify.exitCode !== 0 || readVersion() !== version) fail("the store isn't whole");
} finally {
  socket.kill();
  rmSync(folder, { recursive: true, force: true });
}
