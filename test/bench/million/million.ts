// The time of every list and search over a million logged requests, on both engines: `bun test/bench/million/million.ts`.
//
// `--rows N` fills fewer, `--engine sqlite` or `postgres` takes one alone, `--exports` exports them instead. Exits with 1 if a first page takes longer than
// the aim. `POUNDKEY_BINARY` names the build that is measured; without it, the sources are.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { startSimulator } from "../../simulator/server.ts";
import { startPostgres } from "../../store/postgres/server.ts";
import { createOperator, type Operator } from "../../whole/world/operator.ts";
import { computeMedian } from "../figures.ts";
import { type Started, start } from "../processes.ts";
import { listAsks } from "./million-asks.ts";
import { measureExports } from "./million-export.ts";
import { fillStore, openRaw } from "./million-fill.ts";

const AIM_MS = 250;
const ROUNDS = 5;
const ADMIN_TOKEN = "admin-token-of-the-benchmark";
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const MAIN = join(import.meta.dir, "..", "..", "..", "src", "main.ts");
const COMMAND = process.env.POUNDKEY_BINARY ? [process.env.POUNDKEY_BINARY] : [process.execPath, MAIN];
const ACCOUNTS = 50;
const KEYS = 500;
/** Requests that are copied: of each model and manner, from the first keys. */
const ASKED = ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5", "Google#gemini-3.5-flash", "Router#fair"];
const ROUNDS_ASKED = 25;
/** Exports are measured on a gateway in use, whose heap has its size: a new one's grows with whatever it does first. */
const ROUNDS_WARM = 5000;
const CLIENTS_WARM = 32;
const FAILING = "OpenAI#sim-mini~trouble=500";

const { values: given } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    engine: { type: "string" },
    exports: { type: "boolean", default: false },
  },
});
const rows = Number(given.rows);

async function startGateway(directory: string, store: string, simulatorUrl: string): Promise<Started> {
  const providers = [
    ["OpenAI", "/openai/v1"],
    ["Anthropic", "/anthropic/v1"],
    ["Google", "/gemini/v1beta"],
  ].map(
    ([name, path]) =>
      `  ${name}: { keys: ["sim-key"], base_url: "${simulatorUrl}${path}", unlisted_models: true }`,
  );
  const config = join(directory, "poundkey.yaml");
  const head = [`server: { port: 0, admin_token: "${ADMIN_TOKEN}" }`, `store: "${store}"`, "providers:"];
  writeFileSync(config, [...head, ...providers].join("\n"));
  return start({
    command: [...COMMAND, "serve", "--config", config],
    directory,
    env: { POUNDKEY_MASTER_KEY: MASTER_KEY },
  });
}

function operate({ port }: Started): Operator {
  return createOperator({ url: `http://127.0.0.1:${port}`, adminToken: ADMIN_TOKEN });
}

/** Makes accounts and keys, and returns the keys' secrets. */
async function addKeys(operator: Operator): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (let at = 0; at < ACCOUNTS; at++) {
    const { body } = await operator.post("/accounts", { name: `Team ${at}` });
    for (let of = 0; of < KEYS / ACCOUNTS; of++) {
      const made = await operator.post("/keys", { name: `key-${at}-${of}`, account_id: body.id });
      secrets.push(asString(made.body.secret) ?? "");
    }
  }
  return secrets;
}

/** Sends requests of every model and manner, in this many rounds. */
async function sendRequests(
  { port }: Started,
  secrets: readonly string[],
  rounds: number,
  clients = 1,
): Promise<void> {
  let begun = 0;
  const send = async () => {
    for (let round = begun++; round < rounds; round = begun++) await sendRound(port, secrets, round);
  };
  await Promise.all(Array.from({ length: clients }, send));
}

async function sendRound(port: number, secrets: readonly string[], round: number): Promise<void> {
  for (const model of [...ASKED, ...(round % 5 === 0 ? [FAILING] : [])]) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secrets[round % secrets.length]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: `Say ${round}.` }],
        stream: round % 2 === 0,
      }),
    });
    await answer.text();
  }
}

interface Timed {
  readonly name: string;
  /** In milliseconds: the first after a start, and the median and the least of the others. */
  readonly first: number;
  readonly median: number;
  readonly least: number;
  readonly shown: string;
}

function describeAnswer(body: JsonObject): string {
  const list = Array.isArray(body.data) ? `${asArray(body.data).length} rows` : "";
  const until = asString(body.scanned_until);
  return until ? `${list}, looked at down to ${until.slice(0, 16)}` : list;
}

async function time(operator: Operator, name: string, path: string): Promise<Timed> {
  const times: number[] = [];
  let shown = "";
  for (let round = 0; round <= ROUNDS; round++) {
    const beganMs = performance.now();
    const { status, body } = await operator.get(path);
    times.push(performance.now() - beganMs);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    shown = describeAnswer(asObject(body));
  }
  const [first = 0, ...others] = times;
  return { name, first, median: computeMedian(others), least: Math.min(...others), shown };
}

async function measure(engine: string, store: string, directory: string): Promise<readonly Timed[]> {
  const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
  const before = await startGateway(directory, store, simulator.url);
  const secrets = await addKeys(operate(before));
  await sendRequests(before, secrets, ROUNDS_ASKED);
  await before.stop();
  const raw = await openRaw(store);
  const beganMs = performance.now();
  await fillStore(raw, { rows, nowMs: Date.now() });
  console.log(
    `\n${engine}: ${rows} rows each, filled in ${Math.round((performance.now() - beganMs) / 1000)} s`,
  );
  const asks = await listAsks(raw);
  await raw.close();
  const gateway = await startGateway(directory, store, simulator.url);
  const timed: Timed[] = [];
  if (given.exports) {
    await sendRequests(gateway, secrets, ROUNDS_WARM, CLIENTS_WARM);
    await measureExports({ ...gateway, token: ADMIN_TOKEN });
  } else for (const [name, path] of asks) timed.push(await time(operate(gateway), name, path));
  await gateway.stop();
  await simulator.stop();
  return timed;
}

function print(timed: readonly Timed[]): void {
  if (timed.length === 0) return;
  const width = Math.max(...timed.map(({ name }) => name.length));
  console.log(`${"".padEnd(width)}     first  median   least  ms`);
  for (const { name, first, median, least, shown } of timed) {
    const times = [first, median, least].map((ms) => String(Math.round(ms)).padStart(7)).join(" ");
    console.log(`${name.padEnd(width)}  ${times}  ${shown}`);
  }
  const late = timed.filter(({ first, median }) => Math.max(first, median) > AIM_MS);
  const longest = Math.round(Math.max(...timed.flatMap(({ first, median }) => [first, median])));
  console.log(`${timed.length} asked, the longest ${longest} ms, ${late.length} above ${AIM_MS} ms`);
  if (late.length > 0) process.exitCode = 1;
}

const directory = mkdtempSync(join(tmpdir(), "poundkey-million-"));
const engines = given.engine ? [given.engine] : ["sqlite", "postgres"];
try {
  for (const engine of engines) {
    if (engine === "sqlite") {
      print(await measure(engine, `sqlite:${join(directory, "poundkey.db")}`, directory));
      continue;
    }
    const server = await startPostgres({ shared_buffers: "512MB" });
    try {
      print(await measure(engine, server.url, directory));
    } finally {
      await server.remove();
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
