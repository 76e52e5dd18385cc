// `bun test/abuse/stall.ts`: a table of how long hostile bodies and answers block the gateway's loop, and their memory.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start, stopAll } from "../bench/processes.ts";
import { startVictim } from "../kill/process.ts";

const MEGABYTE = 1_000_000;
const SIZES_MB = [1, 10, 30];
const STALL_SMALL_MS = 100;
const STALL_LARGE_MS = 250;
const SMALL_MB = 10;
const MEMORY_MAX_MB = 1000;
const ADMIN_TOKEN = "admin-token-of-the-meter";
const CONNECTIONS = 40;
const UNFINISHED_MB = 29;
const UNFINISHED_MS = 8000;
const SLOW_ACCOUNTS = 4;
const SLOW_MB = 32;
const SLOW_BYTES_PER_SECOND = 18_000;
const SLOW_EVERY_MS = 250;
const OTHERS = 200;
const SETTLE_MS = 500;
const QUIET_MS = 3000;
const RUNS = 4;

/** Each makes a field of this many characters for the end of a chat body. */
const BODIES: Readonly<Record<string, (length: number) => string>> = {
  "[],[],…": (length) => `"zz":[${"[],".repeat(length / 3)}[]]`,
  "{},{},…": (length) => `"zz":[${"{},".repeat(length / 3)}{}]`,
  "one long string": (length) => `"user":"${"x".repeat(length)}"`,
  "a long prompt": (length) => `"messages":[{"role":"user","content":"${"word ".repeat(length / 5)}"}]`,
  digits: (length) => `"zz":${"1".repeat(length)}`,
  numbers: (length) => `"zz":[${"1,".repeat(length / 2)}1]`,
  escapes: (length) => `"messages":[{"role":"user","content":"${"\\n".repeat(length / 2)}"}]`,
  "escaped quotes": (length) => `"messages":[{"role":"user","content":"${'\\"'.repeat(length / 2)}"}]`,
  backslashes: (length) => `"messages":[{"role":"user","content":"${"\\\\".repeat(length / 2)}"}]`,
  surrogates: (length) => `"messages":[{"role":"user","content":"${"\\ud83d\\ude00".repeat(length / 12)}"}]`,
  fields: (length) =>
    `"zz":{${Array.from({ length: length / 12 }, (_, at) => `"k${String(at).padStart(7, "0")}":1`).join()}}`,
};

interface Row {
  readonly what: string;
  readonly status: string;
  readonly "stall, ms": number;
  readonly "aim, ms": number | "–";
  readonly "peak, MB": number;
}

interface Metered {
  readonly url: string;
  readonly secret: string;
  readonly pid: number;
  readonly directory: string;
  stop(): Promise<void>;
}

async function startMetered(): Promise<Metered> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-stall-"));
  const file = (name: string) => join(import.meta.dir, name);
  const provider = await start({ command: [process.execPath, file("plain.process.ts")], directory });
  const settings = [
    `server: { port: 0, admin_token: "${ADMIN_TOKEN}", drain: 1s }`,
    "store: sqlite:./poundkey.db",
    `providers: { Local: { dialect: openai, keys: ["k"], base_url: "http://127.0.0.1:${provider.port}/v1", unlisted_models: true } }`,
  ];
  writeFileSync(join(directory, "poundkey.yaml"), settings.join("\n"));
  const gateway = startVictim([process.execPath, file("metered.process.ts")], directory);
  const url = await gateway.listens;
  const { secret = "" } = await make(url, "keys", { name: "stall", requests_per_day: null });
  const stop = async () => {
    gateway.signal("SIGKILL");
    await gateway.exited;
    await stopAll();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, secret, pid: gateway.pid, directory, stop };
}

async function make(url: string, what: string, fields: object) {
  const response = await fetch(`${url}/admin/v1/${what}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  return (await response.json()) as { readonly id?: string; readonly secret?: string };
}

/** Returns the secret of a key in an account of its own. */
async function newAccountsKey(url: string, at: number): Promise<string> {
  const { id } = await make(url, "accounts", { name: `slow ${at}` });
  const { secret = "" } = await make(url, "keys", { name: "slow", account_id: id, requests_per_day: null });
  return secret;
}

type Measured = Omit<Row, "what" | "aim, ms">;

/** The fastest of several runs, because other load on the machine only makes a run slower. */
async function quickest(gateway: Metered, run: (number: number) => Promise<string>): Promise<Measured> {
  const runs: Measured[] = [];
  for (let count = 0; count < RUNS; count++) {
    runs.push(await measured(gateway, () => run(count)));
  }
  return runs.reduce((best, one) => (one["stall, ms"] < best["stall, ms"] ? one : best));
}

/** The loop's stalls and the peak memory during the run. */
async function measured(gateway: Metered, run: () => Promise<string>): Promise<Measured> {
  await Bun.sleep(SETTLE_MS);
  // Resets the peak to the current resident memory.
  writeFileSync(`/proc/${gateway.pid}/clear_refs`, "5");
  const sinceMs = Date.now();
  const status = await run();
  await Bun.sleep(SETTLE_MS);
  const lines = readFileSync(join(gateway.directory, "lateness.log"), "utf8").split("\n");
  const late = lines.map((line) => line.split(" ").map(Number)).filter(([at = 0]) => at >= sinceMs);
  const stall = late.reduce((most, [, ms = 0]) => Math.max(most, ms), 0);
  const peak = Number(
    /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1] ?? 0,
  );
  return { status, "stall, ms": Math.round(stall), "peak, MB": Math.round((peak * 1024) / MEGABYTE) };
}

async function post({ url, secret }: Metered, body: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  const code = /"code":("\w+"|null)/.exec(text)?.[1] ?? "";
  return response.ok ? `${response.status}` : `${response.status} ${code}`;
}

const PLAIN = '"model":"Local#plain","messages":[{"role":"user","content":"hello"}]';

function bodyOf(field: string): string {
  const isPrompt = field.startsWith('"messages"');
  return `{${isPrompt ? '"model":"Local#plain"' : PLAIN},${field}}`;
}

async function bodyRows(gateway: Metered): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, make] of Object.entries(BODIES)) {
    for (const size of SIZES_MB) {
      const body = bodyOf(make(size * MEGABYTE));
      const aim = size <= SMALL_MB ? STALL_SMALL_MS : STALL_LARGE_MS;
      rows.push({
        what: `${size} MB, ${name}`,
        ...(await quickest(gateway, () => post(gateway, body))),
        "aim, ms": aim,
      });
    }
  }
  return rows;
}

async function answerRows(gateway: Metered): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const stream of [false, true]) {
    // A separate model for each run, because one that sent a malformed answer is not called again at once.
    const body = (run: number) =>
      `{"model":"Local#many-${run}-${stream}","stream":${stream},"messages":[{"role":"user","content":"hello"}]}`;
    const what = `an answer of 100,000 choices${stream ? ", streamed" : ""}`;
    rows.push({
      what,
      ...(await quickest(gateway, (run) => post(gateway, body(run)))),
      "aim, ms": STALL_LARGE_MS,
    });
  }
  return rows;
}

interface Sender {
  readonly secret: string;
  readonly length: number;
  /** The part of the body that is sent at once. */
  readonly body: string | Buffer;
}

/** Sends a body on each connection. Returns the connections, and the statuses of those that are answered. */
function openBodies(url: string, senders: readonly Sender[]) {
  const { hostname, port } = new URL(url);
  const statuses: string[] = [];
  const sockets = senders.map(({ secret, length, body }) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {});
    socket.once("data", (part: Buffer) => statuses.push(part.toString("latin1", 9, 12)));
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
    );
    socket.write(body);
    return socket;
  });
  return { sockets, statuses };
}

function tally(statuses: readonly string[], open = 0): string {
  const counted = [...Map.groupBy(statuses, (status) => status)].map(
    ([status, all]) => `${all.length} × ${status}`,
  );
  return counted.concat(open > 0 ? `${open} open` : []).join(", ");
}

/** One key's bodies, of which the last byte is missing, or which wait for a silent provider. */
async function manyLarge({ url, secret }: Metered, model: string | null): Promise<string> {
  const length = UNFINISHED_MB * MEGABYTE;
  const start = `{"model":"Local#${model}","messages":[{"role":"user","content":"`;
  const whole = Buffer.from(`${start.padEnd(length - 4, "x")}"}]}`);
  const body = model === null ? Buffer.alloc(length - 1, "[") : whole;
  const { sockets, statuses } = openBodies(url, Array(CONNECTIONS).fill({ secret, length, body }));
  await Bun.sleep(UNFINISHED_MS);
  for (const socket of sockets) socket.destroy();
  return tally(statuses, CONNECTIONS - statuses.length);
}

/** Bodies that arrive at little more than the slowest speed allowed. Returns the answers to others' short requests. */
async function slowBodies(gateway: Metered): Promise<string> {
  const secrets = await Promise.all(
    Array.from({ length: SLOW_ACCOUNTS }, (_, at) => newAccountsKey(gateway.url, at)),
  );
  const length = SLOW_MB * MEGABYTE;
  const senders = [...secrets, ...secrets].map((secret) => ({ secret, length, body: "[" }));
  const { sockets } = openBodies(gateway.url, senders);
  const piece = "[".repeat((SLOW_BYTES_PER_SECOND * SLOW_EVERY_MS) / 1000);
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(piece);
  }, SLOW_EVERY_MS);
  await Bun.sleep(UNFINISHED_MS);
  const others: string[] = [];
  for (let count = 0; count < OTHERS; count++) others.push(await post(gateway, `{${PLAIN}}`));
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return `others: ${tally(others)}`;
}

const gateway = await startMetered();
const quiet = async () => {
  await Bun.sleep(QUIET_MS);
  return "";
};
const rows: Row[] = [
  { what: "nothing: the machine itself", ...(await measured(gateway, quiet)), "aim, ms": "–" },
  ...(await bodyRows(gateway)),
  ...(await answerRows(gateway)),
  {
    what: `${CONNECTIONS} connections × ${UNFINISHED_MB} MB, unfinished`,
    ...(await measured(gateway, () => manyLarge(gateway, null))),
    "aim, ms": STALL_LARGE_MS,
  },
  {
    what: `${CONNECTIONS} connections × ${UNFINISHED_MB} MB, the provider is silent`,
    ...(await measured(gateway, () => manyLarge(gateway, "silent"))),
    "aim, ms": STALL_LARGE_MS,
  },
  {
    what: `${2 * SLOW_ACCOUNTS} connections of ${SLOW_ACCOUNTS} accounts × ${SLOW_MB} MB, 18 KB/s each`,
    ...(await measured(gateway, () => slowBodies(gateway))),
    "aim, ms": STALL_SMALL_MS,
  },
];
await gateway.stop();
console.table(rows);
console.log(
  `memory: at most ${MEMORY_MAX_MB} MB. A busy machine makes every figure larger: the first row says how busy it is.`,
);
