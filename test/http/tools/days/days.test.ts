// Days of tools by seeds, over the whole gateway: whatever servers, clients and nodes do, each call is sent at most once, charged
// exactly, in its own key's name, and nothing is left of it. `SEED=n` plays one, `FIRST=n DAYS=m` so many from the nth on.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../../src/app/start/open-store.ts";
import { clock } from "../../../../src/app/world.ts";
import type { JsonObject } from "../../../../src/core/json/json.ts";
import { ServerSessions } from "../../../../src/gateway/tools/server-sessions.ts";
import { MASTER_KEY } from "../../../harness/harness.ts";
import { IS_LONG } from "../../../harness/long.ts";
import { findErrors } from "../../../ledger/payments.ts";
import { Dice } from "../../../sim/dice.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { operate } from "../../../store/nodes/gateway.ts";
import { type Databases, useDatabases } from "../../../store/postgres/databases.ts";
import { writeEmptyStore } from "../../../suites/empty-store.ts";
import { until } from "../../../whole/world/until.ts";
import { Day } from "./day.ts";
import { BUDGET_USD, DayWorld, PRICE } from "./day-world.ts";
import { judgeRequests, judgeServers, toNano } from "./judge.ts";

const FIRST = Number(process.env.SEED ?? process.env.FIRST ?? (IS_LONG ? 1 : 3));
const DAYS_USUAL = IS_LONG ? 300 : 1;
const DAYS = Number(process.env.DAYS ?? (process.env.SEED === undefined ? DAYS_USUAL : 1));
const SEEDS = Array.from({ length: DAYS }, (_, at) => FIRST + at);
/** In the long form, each third day is one of nodes on PostgreSQL. */
const isOnPostgres = (seed: number) => IS_LONG && seed % 3 === 1;
const TEST_MS = 120_000;
const DAY_MS = 86_400_000;
const ROWS_MAX = 10_000;

const directory = mkdtempSync(join(tmpdir(), "poundkey-tool-days-"));
let simulator: Simulator;
let postgres: Databases | null = null;
beforeAll(async () => {
  simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await simulator.stop();
  await postgres?.remove();
  rmSync(directory, { recursive: true, force: true });
});

async function makeStore(seed: number): Promise<string> {
  if (isOnPostgres(seed)) {
    postgres ??= await useDatabases();
    return postgres.newStore();
  }
  const path = join(directory, `${seed}.db`);
  writeEmptyStore(path);
  return `sqlite:${path}`;
}

function areAtRest(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  return after.every(
    ({ held_usd: held, balance_usd: balance }, at) => held === 0 && balance === before[at]?.balance_usd,
  );
}

test.each(SEEDS)(
  "day %d",
  async (seed) => {
    const address = await makeStore(seed);
    const world = new DayWorld(new Dice(seed), address, simulator);
    const day = new Day(world);
    await world.begin();
    await day.run();
    const readAccounts = () =>
      Promise.all(world.accounts.map(({ id }) => operate(world.url, `/accounts/${id}`)));
    // A node that was killed may have been about to hold something, which another gives back later.
    const { rows, accounts } = await until("nothing is held", async () => {
      const before = await readAccounts();
      const read = { rows: await world.readRows(), accounts: await readAccounts() };
      return areAtRest(before, read.accounts) ? read : null;
    });
    await until("nobody listens", () =>
      Object.values(world.servers).every(({ openStreams }) => openStreams === 0),
    );
    const { servers } = world;
    const { sent } = day;
    expect(judgeRequests({ sent, rows, servers, price: PRICE })).toEqual([]);
    expect(judgeServers(servers)).toEqual([]);
    const sum = (of: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(of).reduce((total, { charged_usd: charged }) => total + toNano(charged), 0);
    const balances = accounts.map(({ balance_usd: balance }) => toNano(balance));
    const expected = world.accounts.map(
      ({ id, usd }) => toNano(usd) - sum(({ account_id: own }) => own === id),
    );
    expect(balances).toEqual(expected);
    expect(balances.every((balance) => balance >= 0)).toBe(true);
    const frugal = sum(({ key_id: id, operation }) => id === world.frugalKeyId && operation === "tool");
    expect(frugal).toBeLessThanOrEqual(toNano(BUDGET_USD));
    expect(world.nodes.flatMap(({ bugs }) => bugs)).toEqual([]);
    await world.drain();
    const { store, vault } = await openStore(address, MASTER_KEY);
    expect(findErrors(await store.audit())).toEqual([]);
    const kept = await store.toolSessions.takeResting(Date.now() + DAY_MS, ROWS_MAX);
    const sessions = new ServerSessions({ store, vault, clock });
    const known = new Set(kept.map((row) => sessions.open(row)));
    // Nobody knows of the sessions that a node was about to note when it was killed.
    if (world.nodes.every(({ life }) => !life.isOver))
      await until("no session is left", () => [...servers.old.sessions].every((id) => known.has(id)));
    await store.close();
    await world.end();
  },
  TEST_MS,
);
