// The plans of SQLite for a page of a sorted list: an order that an index has is read from it, and no order sorts whole rows.
import { afterAll, expect, test } from "bun:test";
import { CONSOLE_KEY } from "../../src/admin/keys/keys.ts";
import { EVERYTHING } from "../../src/core/people/people.ts";
import type { SortedList } from "../../src/core/store.ts";
import type { SortedPosition } from "../../src/core/world/page.ts";
import type { Statement } from "../../src/store/engine/engine.ts";
import { Connector } from "../../src/store/sqlite/connector.ts";
import { makeEngine } from "../../src/store/sqlite/engine.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { sqlitePrograms } from "../../src/store/sqlite/programs.ts";
import { makeSortedMethods } from "../../src/store/things/sorted.ts";
import { NOON } from "../harness/samples.ts";

const connector = new Connector({
  path: ":memory:",
  schema: makeSqliteSchema(),
  lockWaitMs: 1000,
  onConnect: () => {},
});
const engine = makeEngine(connector, {
  programs: sqlitePrograms(null),
  slowReads: null,
  onWrite: () => {},
  truncateLog: async () => true,
});
afterAll(() => connector.close());

const asked: Statement[] = [];
const lists = makeSortedMethods({
  ...engine,
  run: (statement) => {
    asked.push(statement);
    return engine.run(statement);
  },
  runSlowReads: (statements) => {
    asked.push(...statements);
    return engine.runSlowReads(statements);
  },
});

/** Returns the steps of the plan of the statement that was asked for, without their details. */
async function readPlan(): Promise<readonly string[]> {
  const [{ text, values } = { text: "", values: [] }] = asked.splice(0);
  const plan = await engine.run({ text: `EXPLAIN QUERY PLAN ${text}`, values });
  return plan.map(({ detail }) => String(detail).split(" (")[0] ?? "");
}

/** Each list's filter, as its routes have it, and its table. */
const LISTED = {
  keys: [{ nowMs: NOON, except: CONSOLE_KEY }, "gateway_key"],
  accounts: [{ scope: EVERYTHING }, "account"],
  members: [{ scope: EVERYTHING }, "member"],
  batches: [{ scope: EVERYTHING }, "batch"],
} as const;

test.each<[SortedList, "created" | "name", string, SortedPosition]>([
  ["keys", "created", "created", { value: 1, id: "key_a" }],
  ["keys", "name", "folded_name", { value: "name", id: "key_a" }],
  ["accounts", "created", "created", { value: 1, id: "acct_a" }],
  ["accounts", "name", "folded_name", { value: "name", id: "acct_a" }],
  ["members", "created", "created", { value: 1, id: "usr_a" }],
  ["members", "name", "folded_name", { value: "name", id: "usr_a" }],
  ["batches", "created", "created", { value: 1, id: "batch_a" }],
])("%s by %s, from the beginning and after a row", async (list, by, index, position) => {
  await connector.run(() => undefined);
  const [filter, table] = LISTED[list];
  for (const after of [null, position])
    for (const isDown of [false, true]) {
      const page = { by, isDown, limit: 51, after };
      await lists.sorted<SortedList>(list, page, { filter });
      expect(await readPlan()).toEqual([
        `${after ? "SEARCH" : "SCAN"} ${table} USING INDEX ${table}_${index}`,
      ]);
    }
});

test.each(["keys", "accounts", "members"] as const)(
  "%s by cost: the hours of the month are read once, and rows without any aren't sorted",
  async (list) => {
    await connector.run(() => undefined);
    const [filter, table] = LISTED[list];
    for (const after of [null, { value: 5, id: "id" }])
      for (const isDown of [false, true]) {
        const page = { by: "cost", isDown, limit: 51, after } as const;
        await lists.sorted<SortedList>(list, page, { filter, costs: { sinceMs: NOON } });
        const steps = await readPlan();
        const hours = steps.filter((step) => step.includes("hourly_usage"));
        expect(hours).toEqual(["SEARCH hourly_usage USING PRIMARY KEY"]);
        const others = steps.slice(steps.indexOf("CO-ROUTINE others") + 1, steps.indexOf("SCAN others"));
        expect(others[0]).toStartWith(`SCAN ${table}`);
        expect(others).not.toContain("USE TEMP B-TREE FOR ORDER BY");
      }
  },
);
