// Four gateways on one PostgreSQL under load: one through a proxy that can swallow everything, one directly, two through
// PgBouncer. Compares what clients got whole with the rows and the charges.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { makePostgresSchema } from "../../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { decideByDemand } from "../../harness/samples.ts";
import { findErrors } from "../../ledger/payments.ts";
import { startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { startPooler } from "../postgres/pooler.ts";
import { startPostgres } from "../postgres/server.ts";
import { operate, post, startGatewayProcess } from "./gateway.ts";
import { openWay } from "./proxy.ts";

const MODELS = ["quick", "slow~latency=1500", "slower~latency=4000"];
const CLIENTS = 12;
const SETTLED_MS = 90_000;

/** An answer that its client got whole. */
export interface Whole {
  readonly id: string;
  readonly key: string | null;
}

interface Load {
  readonly whole: Whole[];
  asked: number;
  refused: number;
  broken: number;
}

export async function startCluster() {
  const server = await startPostgres();
  const direct = await server.newDatabase();
  const [way, pooler, simulator] = await Promise.all([
    openWay(direct),
    startPooler(direct),
    startSimulator({ port: 0 }),
  ]);
  const pooled = pooler.urlFor(direct);
  const more = makePricedYaml(simulator.url);
  const gateways = [way.url, direct, pooled, pooled].map((store) =>
    startGatewayProcess({ store, simulatorUrl: simulator.url, more }),
  );
  const urls = await Promise.all(gateways.map(({ url }) => url));
  const [, steady = ""] = urls;
  const secret = await makePayer(steady);
  return {
    server,
    way,
    pids: gateways.map(({ pid }) => pid),
    load: (forMs: number) => runLoad(urls, secret, forMs),
    audit: (load: Load) => audit(direct, load),
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await Promise.all([way.stop(), pooler.stop(), simulator.stop()]);
      await server.remove();
    },
  };
}

/** Two gateways on one SQLite file. */
export async function startPair() {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-pair-"));
  const store = `sqlite:${join(folder, "poundkey.db")}`;
  const simulator = await startSimulator({ port: 0 });
  const options = { store, simulatorUrl: simulator.url, more: makePricedYaml(simulator.url) };
  const gateways = [startGatewayProcess(options), startGatewayProcess(options)];
  const urls = await Promise.all(gateways.map(({ url }) => url));
  const secret = await makePayer(urls[0] ?? "");
  return {
    pids: gateways.map(({ pid }) => pid),
    load: (forMs: number) => runLoad(urls, secret, forMs),
    audit: (load: Load) => audit(store, load),
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await simulator.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns the secret of a key whose account can pay. */
export async function makePayer(url: string): Promise<string> {
  await operate(url, "/accounts/default/topups", { amount_usd: 100 });
  return String((await operate(url, "/keys", { name: "paid" })).secret);
}

/** A provider with priced models, by default quick and slow ones, and a rule by which every request is paid for. */
export function makePricedYaml(simulatorUrl: string, models = MODELS): string {
  const priced = models.map(
    (name) => `{ name: "${name}", context: 9000, output: 99, price: { input: 1, output: 2 } }`,
  );
  const server = `base_url: "${simulatorUrl}/openai/v1", models: [${priced.join(", ")}]`;
  return `  Acme: { dialect: openai, keys: [k], ${server} }\nbilling: { charge: always }`;
}

export async function runLoad(urls: readonly string[], secret: string, forMs: number): Promise<Load> {
  const load: Load = { whole: [], asked: 0, refused: 0, broken: 0 };
  const untilMs = performance.now() + forMs;
  const client = async (number: number) => {
    for (let turn = 0; performance.now() < untilMs; turn++) {
      const at = number * 1000 + turn;
      // Two clients send each key, to different nodes.
      const key = turn % 3 === 0 ? `key-${Math.floor(number / 2)}-${turn}-${Math.floor(untilMs)}` : null;
      await askOne(urls[(number + turn) % urls.length] ?? "", { secret, at, key }, load);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return load;
}

interface Asking {
  readonly secret: string;
  readonly at: number;
  readonly key: string | null;
}

async function askOne(url: string, { secret, at, key }: Asking, load: Load): Promise<void> {
  load.asked++;
  const content = `say: hello ${key ?? at}`;
  const model = `Acme#${MODELS[key === null ? at % MODELS.length : MODELS.length - 1]}`;
  const asked = {
    model,
    stream: key === null && at % 2 === 0,
    max_tokens: 50,
    messages: [{ role: "user", content }],
  };
  try {
    const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
    const answer = await post(`${url}/v1/chat/completions`, secret, asked, headers);
    const text = await answer.text();
    if (!answer.ok) {
      load.refused++;
      await Bun.sleep(200);
      return;
    }
    const id = readWhole(text, asked.stream);
    if (id === null) load.broken++;
    else load.whole.push({ id, key });
  } catch {
    load.broken++;
    await Bun.sleep(200);
  }
}

/** The id of a whole answer. Null if it ended in the middle. */
export function readWhole(text: string, isStream: boolean): string | null {
  if (!isStream) return asString(asObject(parseJson(text)).id) ?? null;
  if (!text.includes("data: [DONE]") || text.includes('"error"')) return null;
  return /"id":"(chatcmpl-[^"]+)"/.exec(text)?.[1] ?? null;
}

interface Finding {
  readonly late: number;
  readonly lost: number;
  /** The number of all requests, and the sum of what they were charged. */
  readonly rows: number;
  readonly chargedNanoUsd: number;
  /** The sum of what the accounts have left. */
  readonly balancesNanoUsd: bigint;
  readonly problems: readonly string[];
}

/** Waits until nothing is held, then compares. `schema` is the newest that wrote to the store. */
export async function audit(
  direct: string,
  { whole }: Pick<Load, "whole">,
  schema = makePostgresSchema(),
): Promise<Finding> {
  const store = direct.startsWith("sqlite:")
    ? await openSqliteStore({ path: direct.slice("sqlite:".length), decide })
    : await openPostgresStore({ url: direct, decide: decideByDemand, schema, patienceMs: 30_000 });
  try {
    await until("nothing is held", async () => (await store.audit()).held === 0n, SETTLED_MS);
    const books = await store.audit();
    const problems = [...findErrors(books)];
    const listed = await store.requests({}, { limit: 100_000, after: null });
    const kept = new Map(listed.map((row) => [row.id, row]));
    for (const { id } of whole) {
      const row = kept.get(id);
      if (row === undefined) problems.push(`${id} has no row`);
      else if (row.ended !== "done") problems.push(`${id} was given whole and is ${row.ended}`);
      else if (row.costNanoUsd === 0) problems.push(`${id} was given whole and costs nothing`);
    }
    problems.push(...findTwiceCharged(whole, (id) => kept.get(id)?.chargedNanoUsd ?? 0));
    problems.push(...findUncharged(whole, (id) => kept.get(id)?.chargedNanoUsd ?? 0));
    return {
      late: listed.filter(({ isLate }) => isLate).length,
      lost: listed.filter(({ ended }) => ended === "lost").length,
      rows: listed.length,
      chargedNanoUsd: listed.reduce((sum, { chargedNanoUsd }) => sum + chargedNanoUsd, 0),
      balancesNanoUsd: books.balances,
      problems,
    };
  } finally {
    await store.close();
  }
}

function findTwiceCharged(whole: readonly Whole[], chargeOf: (id: string) => number): readonly string[] {
  const byKey = Map.groupBy(
    whole.filter(({ key }) => key !== null),
    ({ key }) => key,
  );
  return [...byKey].flatMap(([key, answers]) => {
    const charged = new Set(answers.map(({ id }) => id).filter((id) => chargeOf(id) > 0));
    return charged.size > 1 ? [`${key} was charged for ${[...charged].join(" and ")}`] : [];
  });
}

/** Only an answer whose key was answered again may be free. */
function findUncharged(whole: readonly Whole[], chargeOf: (id: string) => number): readonly string[] {
  return whole
    .filter(({ id, key }) => key === null && chargeOf(id) === 0)
    .map(({ id }) => `${id} was given whole and charged nothing`);
}
