// Keys in the order of their names, times, costs or states.
import { KEY_STATES, type KeySort, type KeyState } from "../../core/keys/key.ts";
import type { SortedKeys, Store } from "../../core/store.ts";
import type { SortedPage } from "../../core/world/page.ts";
import { type Engine, type Lookup, runLookup } from "../engine/engine.ts";
import { Narrowing, narrowKeys } from "../engine/narrowing.ts";
import { composeSorted, readSorted, type SortValue } from "../engine/sorting.ts";
import type { Mark } from "../engine/sql.ts";
import { KEY } from "../schema/tables.ts";

const HOUR_MS = 3_600_000;

/** Those in whose order an index has the keys. */
const INDEXED: ReadonlySet<KeySort> = new Set(["created", "name"]);

/** An index has this expression. PostgreSQL folds and compares it by the database's collation, SQLite folds ASCII alone. */
const FOLDED_NAME = "lower(name)";

/** Joined as one group, because a distributed engine refuses correlated subqueries. */
function joinSums(sum: string, condition: string): SortValue {
  return {
    value: "coalesce(sums.of_key, 0)",
    join: `LEFT JOIN (SELECT key_id AS sum_key, CAST(${sum} AS BIGINT) AS of_key
      FROM hourly_usage ${condition} GROUP BY key_id) AS sums ON sums.sum_key = gateway_key.id`,
  };
}

function composeState(nowMark: string): string {
  const place = (state: KeyState) => KEY_STATES.indexOf(state);
  return `CASE WHEN revoked_at_ms IS NOT NULL THEN ${place("revoked")}
    WHEN expires_at_ms <= ${nowMark} THEN ${place("expired")}
    WHEN paused = 1 THEN ${place("paused")} ELSE ${place("active")} END`;
}

function composeValue(by: Narrowing, sort: KeySort, { nowMs, costSinceMs }: SortedKeys): SortValue {
  switch (sort) {
    case "created":
      return { value: "created_at_ms" };
    case "name":
      return { value: FOLDED_NAME };
    case "cost":
      // Hours that began before the month and end in it count, as in the keys' own sums.
      return joinSums("sum(cost_nano)", `WHERE hour_ms > ${by.bind(costSinceMs - HOUR_MS)}`);
    case "used":
      return joinSums("max(hour_ms)", "");
    case "state":
      return { value: composeState(by.bind(nowMs)) };
  }
}

export function sortedMethods(engine: Engine) {
  return {
    sortedKeys: async (page, filter) =>
      (await runLookup(engine, sortedKeysLookup(filter, page, engine.mark))).map(
        readSorted(page.by, KEY.rowOf),
      ),
  } satisfies Partial<Store["things"]>;
}

function sortedKeysLookup(filter: SortedKeys, page: SortedPage<KeySort>, mark: Mark): Lookup {
  const by = new Narrowing(mark);
  const isFound = narrowKeys(by, filter);
  const text = composeSorted(by, KEY, composeValue(by, page.by, filter), page);
  return { text, values: by.values, isBounded: isFound && INDEXED.has(page.by) };
}
