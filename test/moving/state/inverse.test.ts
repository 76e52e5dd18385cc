// `apply` and `export state` undo each other, over made states: STATES=1000 and POSTGRES_STATES=100 try more of them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { YamlText } from "../../../src/config/yaml.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openMemoryStore } from "../../harness/samples.ts";
import { Dice } from "../../sim/dice.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { type Applied, applyText, exportText, makeWorld, planText } from "./applying.ts";
import { changeState, type MadeState, makeState } from "./made-states.ts";

const TIMEOUT_MS = 600_000;
const ALL = { limit: 1000, before: null };

/** Returns an exported state as it was made: without ids, and with accounts by their names. */
function readBack(text: string): MadeState {
  const root = asObject(new YamlText(text).value());
  const list = (section: string) => asArray(root[section]).map(asObject);
  const names = new Map(list("accounts").map(({ id, name }) => [id, name]));
  const strip = ({ id: _id, ...fields }: JsonObject) => ({
    ...fields,
    ...(fields.account_id === undefined ? {} : { account_id: names.get(fields.account_id) }),
    ...(fields.accounts === undefined
      ? {}
      : { accounts: asArray(fields.accounts).map((id) => names.get(id)) }),
  });
  return {
    accounts: list("accounts")
      .filter(({ id }) => id !== "default")
      .map(strip),
    keys: list("keys").map(strip),
    aliases: list("aliases").map(strip),
    tokens: list("tokens").map(strip),
  };
}

/** Lists have no order. */
function sortState(state: MadeState): object {
  const sort = (list: readonly object[]) =>
    list
      .map((made) => ("accounts" in made ? { ...made, accounts: asArray(made.accounts).toSorted() } : made))
      .toSorted((one, other) =>
        JSON.stringify(Object.entries(one).sort()) < JSON.stringify(Object.entries(other).sort()) ? -1 : 1,
      );
  return Object.fromEntries(Object.entries(state).map(([section, list]) => [section, sort(list)]));
}

/** Returns the actions on record since the last call, each with the kind and id of its target. */
async function readRecord(store: Store): Promise<readonly string[]> {
  while ((await store.auditLog.chain(500)) !== null);
  const rows = await store.auditLog.rows({ accountIds: null }, ALL);
  return rows.map(({ action, targetId }) => `${action} ${targetId}`);
}

async function tryState(seed: number, open: () => Promise<Store>): Promise<void> {
  const dice = new Dice(seed);
  const store = await open();
  const other = await open();
  try {
    const world = makeWorld(store);
    const empty = makeWorld(other);
    const first = makeState(dice);
    const applied = [await applyText(world, JSON.stringify(first))];
    expect(sortState(readBack(await exportText(world)))).toEqual(sortState(first));
    const second = changeState(dice, first);
    applied.push(await applyText(world, JSON.stringify(second)));
    const exported = await exportText(world);
    expect(sortState(readBack(exported))).toEqual(sortState(second));
    expect(exported).not.toMatch(/[sp]k-[0-9A-Za-z]{40}/);
    for (const text of [JSON.stringify(second), exported]) {
      const { changes, removals } = await planText(world, text);
      expect([...changes, ...removals]).toEqual([]);
    }
    await applyText(empty, exported);
    expect(await exportText(empty)).toBe(exported);
    await compareRecord(store, applied);
  } catch (error) {
    throw new Error(`state ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await store.close();
    await other.close();
  }
}

/** The plans named every change that is on record, and nothing else. A key that moves is on record in both accounts. */
async function compareRecord(store: Store, applied: readonly Applied[]): Promise<void> {
  const planned = applied.flatMap(({ plan }) => [...plan.changes, ...plan.removals]);
  const made = applied.flatMap((one) => one.made);
  const show = (changes: typeof planned) => changes.map(({ action, id }) => `${action} ${id}`);
  expect(show(made)).toEqual(show(planned));
  expect([...new Set(await readRecord(store))].sort()).toEqual([...new Set(show(planned))].sort());
}

const SQLITE = Number(process.env.STATES ?? 15);
const POSTGRES = Number(process.env.POSTGRES_STATES ?? 2);

test(
  `${SQLITE} states on SQLite`,
  async () => {
    for (let seed = 1; seed <= SQLITE; seed++) await tryState(seed, openMemoryStore);
  },
  TIMEOUT_MS,
);

describe("on PostgreSQL", () => {
  let server: Databases;
  beforeAll(async () => {
    server = await useDatabases();
  });
  afterAll(() => server.remove());

  test(
    `${POSTGRES} states`,
    async () => {
      const open = async () => openPostgresStore({ url: await server.newStore(), decide, create: true });
      for (let seed = 1001; seed <= 1000 + POSTGRES; seed++) await tryState(seed, open);
    },
    TIMEOUT_MS,
  );
});
