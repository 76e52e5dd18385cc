// Many failovers under load, one after another, on two nodes: nobody lends a hand, no answered request is lost, and the books
// balance. `FAILOVERS=3 bun test store/nodes/failovers`, or `LONG=1` for fifty; behind PgBouncer a fifth of them in each mode,
// and as many to a standby without the last transactions.
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { asNumber, asObject, parseJson } from "../../../src/core/json/json.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { IS_LONG } from "../../harness/long.ts";
import { findErrors } from "../../ledger/payments.ts";
import { startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { POOLER, startPooler } from "../postgres/pooler.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { operate, post, startGatewayProcess } from "./gateway.ts";
import { openWay, type Way } from "./proxy.ts";

const FAILOVERS = IS_LONG ? 50 : Number(process.env.FAILOVERS ?? 0);
const ROUND_MS = 120_000;
const CLIENTS = 6;
const SERVED = 20;
const USD = 1000;

/**
 * The old primary is gone, or it stays with its connections and takes no more writes. Or it is gone, and its standby, which
 * it didn't wait for, lacks the last transactions.
 */
type Ending = "killed" | "read-only" | "ahead";

/** Clients of both nodes, who ask again at once. */
class Load {
  charged = 0;
  served = 0;
  readonly statuses = new Map<number, number>();
  longestGapMs = 0;
  #lastMs = performance.now();
  #isOver = false;
  readonly #clients: Promise<void>[];

  constructor(urls: readonly string[], secret: string) {
    this.#clients = Array.from({ length: CLIENTS }, (_, at) =>
      this.#run(urls[at % urls.length] ?? "", secret),
    );
  }

  async #run(url: string, secret: string): Promise<void> {
    while (!this.#isOver) await this.#ask(url, secret);
  }

  async #ask(url: string, secret: string): Promise<void> {
    const asked = {
      model: "Acme#quick",
      max_tokens: 50,
      messages: [{ role: "user", content: "say: hello" }],
    };
    const answer = await post(`${url}/v1/chat/completions`, secret, asked);
    const body = asObject(parseJson(await answer.text()));
    this.charged += Math.round((asNumber(asObject(body.usage).charged) ?? 0) * 1e9);
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status !== 200) return;
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.served++;
  }

  async serveMore(): Promise<void> {
    const before = this.served;
    await until("they are served", () => this.served >= before + SERVED, ROUND_MS);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }
}

async function changeSetting({ url }: PostgresServer, name: string, value: string): Promise<void> {
  await using admin = new SQL(url, { max: 1 });
  await admin.unsafe(`ALTER SYSTEM SET ${name} = '${value}'`);
  await admin.unsafe("SELECT pg_reload_conf()");
}

/** Serves more while nothing reaches the standby any more. */
async function goAhead(primary: PostgresServer, standby: PostgresServer, load: Load): Promise<void> {
  await changeSetting(primary, "synchronous_standby_names", "");
  await changeSetting(standby, "primary_conninfo", "");
  await using sql = new SQL(standby.url, { max: 1 });
  const isCutOff = async () => (await sql`SELECT 1 FROM pg_stat_wal_receiver`).length === 0;
  await until("the standby receives nothing", isCutOff, ROUND_MS);
  await load.serveMore();
}

async function endPrimary(primary: PostgresServer, ending: Ending): Promise<void> {
  // It goes on to wait for its standby: no transaction that the standby lacks is acknowledged.
  if (ending === "read-only") return changeSetting(primary, "default_transaction_read_only", "on");
  await primary.kill();
}

/** Fails over under load, and returns the new primary and the longest time without an answer. */
async function failOver(primary: PostgresServer, way: Way, load: Load, ending: Ending) {
  await load.serveMore();
  load.longestGapMs = 0;
  const standby = await standbyOf(primary);
  if (ending === "ahead") await goAhead(primary, standby, load);
  await endPrimary(primary, ending);
  await using sql = new SQL(standby.url, { max: 1 });
  await sql`SELECT pg_promote()`;
  way.lead(standby.url);
  await load.serveMore();
  return { primary: standby, gapMs: load.longestGapMs };
}

const standbys = new WeakMap<PostgresServer, PostgresServer>();

/** It is made before the load begins: making one stops its primary for a moment. */
async function standbyOf(primary: PostgresServer): Promise<PostgresServer> {
  const made = standbys.get(primary) ?? (await primary.startStandby());
  standbys.set(primary, made);
  return made;
}

/** `pooling` are PgBouncer's settings. Null connects directly. */
async function runFailovers(endings: readonly Ending[], pooling: readonly string[] | null): Promise<void> {
  let primary = await startPostgres();
  const way = await openWay(primary.url);
  const pooler = pooling && (await startPooler(way.url, pooling));
  const simulator = await startSimulator({ port: 0 });
  const provider = `  Acme: { dialect: openai, keys: ["sim-key"], base_url: "${simulator.url}/openai/v1", models: [{ name: quick, context: 128000, output: 4096, price: { input: 1, output: 2 } }] }`;
  const more = `${provider}\nbilling: { charge: always }`;
  const store = pooler?.urlFor(way.url) ?? way.url;
  const first = startGatewayProcess({ store, simulatorUrl: simulator.url, more });
  const urls = [await first.url];
  const second = startGatewayProcess({ store, simulatorUrl: simulator.url, more });
  urls.push(await second.url);
  const { id: accountId } = await operate(urls[0] ?? "", "/accounts", { name: "payer" });
  await operate(urls[0] ?? "", `/accounts/${accountId}/topups`, { amount_usd: USD });
  const { secret } = await operate(urls[0] ?? "", "/keys", { name: "payer", account_id: accountId });
  const gaps: number[] = [];
  let charged = 0;
  for (const ending of endings) {
    await standbyOf(primary);
    const load = new Load(urls, String(secret));
    const before = primary;
    const { primary: next, gapMs } = await failOver(primary, way, load, ending);
    await load.end();
    await before.remove();
    primary = next;
    charged += load.charged;
    gaps.push(gapMs);
    console.log(`${gaps.length}: ${ending}, ${load.served} answers, ${Math.round(gapMs)} ms without one`);
    expect([...load.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }
  console.log(
    `${gaps.length} failovers, the longest time without answers: ${Math.round(Math.max(...gaps))} ms`,
  );
  const books = await openPostgresStore({ url: primary.url, decide });
  await until("nothing is held", async () => (await books.audit()).held === 0n, ROUND_MS);
  expect(findErrors(await books.audit())).toEqual([]);
  const { balanceNanoUsd = 0 } = (await books.account(String(accountId))) ?? {};
  if (endings.includes("ahead")) expect(balanceNanoUsd).toBeGreaterThan(USD * 1e9 - charged);
  else expect(balanceNanoUsd).toBe(USD * 1e9 - charged);
  await books.close();
  await first.stop();
  await second.stop();
  await pooler?.stop();
  await way.stop();
  await simulator.stop();
  await primary.remove();
}

function listEndings(count: number): readonly Ending[] {
  return Array.from({ length: count }, (_, at) => (at % 2 === 0 ? "killed" : "read-only"));
}

/** PgBouncer would otherwise wait for 15 s after a server that it can't reach. */
const RETRIES = "server_login_retry = 1";
/** Each node keeps its connections to itself. */
const POOLINGS = [
  ["transaction", [RETRIES]],
  ["session", ["pool_mode = session", "default_pool_size = 40", RETRIES]],
] as const;
const FEW = Math.ceil(FAILOVERS / 5);

describe.skipIf(FAILOVERS === 0)("failovers under load on two nodes", () => {
  test(
    "need no hand, and the books balance",
    () => runFailovers(listEndings(FAILOVERS), null),
    FAILOVERS * ROUND_MS,
  );

  test.skipIf(POOLER === undefined).each(POOLINGS)(
    "nor do they behind PgBouncer in %s mode",
    (_, pooling) => runFailovers(listEndings(FEW), pooling),
    FEW * ROUND_MS,
  );

  test(
    "leave nothing held, even if the new primary lacks the last transactions",
    () =>
      runFailovers(
        Array.from({ length: FEW }, () => "ahead"),
        null,
      ),
    FEW * ROUND_MS,
  );
});
