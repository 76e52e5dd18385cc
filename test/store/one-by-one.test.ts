// Demands of several accounts that arrive together are decided as they would be one by one, on both engines: the same answers,
// the same rows. `DEMANDS=1000000 bun test store/one-by-one` compares a million on each.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Answer, Demand } from "../../src/core/demand.ts";
import type { Store } from "../../src/core/store.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import {
  CALL_SUM,
  FIRST_TOKEN,
  REQUEST,
  TAG_OF_DAY,
  TAG_USAGE,
  USAGE,
} from "../../src/store/schema/log-tables.ts";
import {
  ACCOUNT,
  ENTRY,
  EVENT,
  HOLD,
  METER,
  MOVEMENT,
  OWNER,
  REPLY,
  SPEND,
} from "../../src/store/schema/tables.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { decideByDemand } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { Demands } from "../ledger/oracle/demands.ts";
import { Dice } from "../sim/dice.ts";
import { type Databases, useDatabases } from "./postgres/databases.ts";

const DEMANDS = Number(process.env.DEMANDS ?? (IS_LONG ? 40_000 : 600));
/** The demands of one made-up gateway. */
const DEMANDS_EACH = 300;
const TOGETHER_MAX = 30;
const HOURS_MS = 24 * 3_600_000;

const TABLES = [ACCOUNT, SPEND, METER, OWNER, HOLD, ENTRY, REQUEST, REPLY, MOVEMENT, EVENT, USAGE]
  .map(({ name }) => name)
  .concat([TAG_USAGE, TAG_OF_DAY, CALL_SUM, FIRST_TOKEN].map(({ name }) => name));

interface Opened {
  readonly store: Store;
  /** Returns all rows that decisions write, as JSON. */
  dump(): Promise<readonly string[]>;
}

let server: Databases;

beforeAll(async () => {
  server = await useDatabases();
}, 60_000);
afterAll(() => server.remove());

async function openPostgres(): Promise<Opened> {
  const url = await server.newStore();
  const store = await openPostgresStore({ url, decide: decideByDemand, patienceMs: 30_000 });
  const dump = async () => {
    await using sql = new SQL(url, { max: 1 });
    const all: string[] = [];
    for (const name of TABLES)
      for (const { line } of await sql.unsafe(`SELECT row_to_json(one)::text AS line FROM ${name} AS one`))
        all.push(`${name} ${line}`);
    return all.toSorted();
  };
  return { store, dump };
}

async function openSqlite(): Promise<Opened> {
  const path = `${crypto.randomUUID()}.db`;
  const store = await openSqliteStore({ path, decide: decideByDemand });
  const dump = async () => {
    using database = new Database(path, { readonly: true });
    return TABLES.flatMap((name) =>
      database
        .query(`SELECT * FROM ${name}`)
        .all()
        .map((row) => `${name} ${JSON.stringify(row)}`),
    ).toSorted();
  };
  return { store, dump };
}

async function prepare(store: Store, { accounts, keys }: Demands): Promise<void> {
  await store.beat();
  for (const account of accounts) await unrecorded(store).addAccount(account);
  for (const key of keys) await unrecorded(store).addKey(key, `digest of ${key.id}`);
}

/** A store reads only what a demand says: rows of its account, and the day's tags for a settlement that comes with it. */
function takeNext(demands: Demands): Demand {
  const next = demands.next();
  const settled = next.kind === "admit" ? next.settlement?.reads : undefined;
  const tags = settled?.tagDayMs === undefined ? {} : { tagDayMs: settled.tagDayMs };
  return { ...next, reads: { ...next.reads, ...tags, accountId: next.accountId } };
}

/** A demand lacks something else if another one of its batch asked for some sums of new budgets: it is repeated with all. */
function describeAnswer(answer: Answer): unknown {
  if (answer.kind === "lacking") return answer.kind;
  return answer.kind === "refused" ? { code: answer.fault.code, message: answer.fault.message } : answer;
}

/** Decides alone what was decided together: there, it may find a new budget's sum that another demand of the batch asked for. */
async function decideAlone(store: Store, demand: Demand, together: Answer | undefined): Promise<Answer> {
  const first = await store.transact(demand);
  if (first.kind !== "lacking" || together?.kind === "lacking") return first;
  const openings = [...(demand.reads.openings ?? []), ...first.openings];
  return store.transact({ ...demand, reads: { ...demand.reads, openings } });
}

/** Returns how many batches had demands of several accounts. */
async function compare(seed: number, open: () => Promise<Opened>): Promise<number> {
  const dice = new Dice(seed);
  const demands = new Demands(dice);
  const together = await open();
  const alone = await open();
  for (const { store } of [together, alone]) await prepare(store, demands);
  let mixed = 0;
  for (let count = 0; count < DEMANDS_EACH; ) {
    const batch = Array.from({ length: dice.int(1, TOGETHER_MAX) }, () => takeNext(demands));
    const answers = await Promise.all(batch.map((demand) => together.store.transact(demand)));
    for (const [at, demand] of batch.entries()) {
      const answer = answers[at];
      const expected = await decideAlone(alone.store, demand, answer);
      expect([seed, count, answer && describeAnswer(answer)]).toEqual([
        seed,
        count,
        describeAnswer(expected),
      ]);
      demands.hear(demand, expected);
    }
    count += batch.length;
    if (new Set(batch.map(({ accountId }) => accountId)).size > 1) mixed++;
  }
  const isTimed = (line: string) => line.startsWith("account ") && line.includes('"default"');
  const read = async ({ dump }: Opened) => (await dump()).filter((line) => !isTimed(line));
  expect(await read(together)).toEqual([...(await read(alone))]);
  await together.store.close();
  await alone.store.close();
  return mixed;
}

test.each([
  ["SQLite", openSqlite],
  ["PostgreSQL", openPostgres],
] as const)(
  "together as one by one on %s",
  async (name, open) => {
    let mixed = 0;
    for (let seed = 1; seed <= Math.ceil(DEMANDS / DEMANDS_EACH); seed++) mixed += await compare(seed, open);
    console.log(`${DEMANDS} demands on ${name}, ${mixed} batches of several accounts`);
    expect(mixed).toBeGreaterThan(DEMANDS / TOGETHER_MAX / 2);
  },
  HOURS_MS,
);
