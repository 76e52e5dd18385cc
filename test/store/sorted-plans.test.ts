// The orders that an index has are read from it: SQLite's plan of a page neither sorts nor reads all keys.
import { afterAll, expect, test } from "bun:test";
import { CONSOLE_KEY } from "../../src/admin/keys/keys.ts";
import type { KeySort } from "../../src/core/keys/key.ts";
import type { SortedPosition } from "../../src/core/world/page.ts";
import type { Statement } from "../../src/store/engine/engine.ts";
import { sortedMethods } from "../../src/store/keys/sorting.ts";
import { Connector } from "../../src/store/sqlite/connector.ts";
import { makeEngine } from "../../src/store/sqlite/engine.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { sqlitePrograms } from "../../src/store/sqlite/programs.ts";
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
const lists = sortedMethods({
  ...engine,
  run: (statement) => {
    asked.push(statement);
    return engine.run(statement);
  },
});

test.each<[KeySort, string, SortedPosition]>([
  ["created", "gateway_key_created", { value: 1, id: "key_a" }],
  ["name", "gateway_key_folded_name", { value: "name", id: "key_a" }],
])("keys by %s, from the beginning and after a key", async (by, index, position) => {
  await connector.run(() => undefined);
  for (const after of [null, position])
    for (const isDown of [false, true]) {
      const filter = { nowMs: NOON, costSinceMs: NOON, except: CONSOLE_KEY };
      await lists.sortedKeys({ by, isDown, limit: 51, after }, filter);
      const [{ text, values } = { text: "", values: [] }] = asked.splice(0);
      const plan = await engine.run({ text: `EXPLAIN QUERY PLAN ${text}`, values });
      const steps = plan.map(({ detail }) => String(detail).split(" (")[0]);
      expect(steps).toEqual([`${after ? "SEARCH" : "SCAN"} gateway_key USING INDEX ${index}`]);
    }
});
