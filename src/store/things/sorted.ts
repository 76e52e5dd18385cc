// Lists in a chosen order: each list's columns with what they sort by, of which an index has some in order.
import { BATCH_STATUSES } from "../../core/batches/batch.ts";
import { ACCOUNT_STATES, KEY_STATES } from "../../core/keys/key.ts";
import { MEMBER_STATES } from "../../core/people/people.ts";
import type { SortCosts, SortedList, SortedLists, Store } from "../../core/store.ts";
import type { SortOf } from "../../core/things/sorts.ts";
import { type Engine, runLookup } from "../engine/engine.ts";
import { Narrowing, narrowAccounts, narrowKeys, narrowPeople } from "../engine/narrowing.ts";
import { composeScope, USE_ROWS } from "../engine/scope.ts";
import { composeSorted, readSorted, type SortValue } from "../engine/sorting.ts";
import { BATCH } from "../models/batch-columns.ts";
import { narrowBatches } from "../models/batches.ts";
import { MEMBER } from "../people/people.ts";
import { ACCOUNT, KEY, type Table } from "../schema/tables.ts";

const HOUR_MS = 3_600_000;

/** The parts from which a value is composed. */
interface SortedValueParts<Filter> {
  readonly by: Narrowing;
  readonly filter: Filter;
  readonly costs: SortCosts;
  readonly asJson: Engine["asJson"];
}

interface ListRule<Row, Filter, By extends string> {
  readonly table: Table<Row>;
  /** Adds the conditions of a filter. Returns true if an index finds a page of the rows, in an order that it has. */
  readonly narrow: (by: Narrowing, filter: Filter) => boolean;
  readonly values: Readonly<Record<By, (parts: SortedValueParts<Filter>) => SortValue>>;
}

/** An index has these expressions. */
const CREATED = () => ({ value: "created_at_ms", isIndexed: true });
/** PostgreSQL folds and compares it by the database's collation, SQLite folds ASCII alone. */
const NAME = () => ({ value: "lower(name)", isIndexed: true });

const LISTS: {
  readonly [List in SortedList]: ListRule<
    SortedLists[List]["row"],
    SortedLists[List]["filter"],
    SortOf<List>
  >;
} = {
  keys: {
    table: KEY,
    narrow: narrowKeys,
    values: {
      created: CREATED,
      name: NAME,
      cost: (parts) => findCosts("key_id", parts),
      used: () => findSums("key_id", "max(hour_ms)", "GROUP BY key_id"),
      state: ({ by, filter }) =>
        findPlace(KEY_STATES, "active", {
          revoked: "revoked_at_ms IS NOT NULL",
          expired: `expires_at_ms <= ${by.bind(filter.nowMs)}`,
          paused: "paused = 1",
        }),
    },
  },
  accounts: {
    table: ACCOUNT,
    narrow: narrowAccounts,
    values: {
      created: CREATED,
      name: NAME,
      cost: (parts) => findCosts("account_id", parts),
      balance: () => ({ value: "balance_nano" }),
      state: () =>
        findPlace(ACCOUNT_STATES, "open", {
          closed: "closed_at_ms IS NOT NULL",
          closing: "closing_at_ms IS NOT NULL",
          paused: "paused = 1",
        }),
    },
  },
  members: {
    table: MEMBER,
    narrow: narrowPeople,
    values: {
      created: CREATED,
      name: NAME,
      cost: (parts) => findCosts("member", parts),
      seen: () => ({ value: "seen_at_ms" }),
      state: () =>
        findPlace(MEMBER_STATES, "active", {
          anonymised: "anonymised_at_ms IS NOT NULL",
          disabled: "is_disabled = 1",
          deactivated: "deactivated_at_ms IS NOT NULL",
          left: "rule_grants = '[]'",
          in_doubt: "coalesce(doubt_since_ms, 0) > seen_at_ms",
        }),
    },
  },
  batches: {
    table: BATCH,
    narrow: narrowBatches,
    values: {
      created: CREATED,
      status: () => {
        const [first, ...others] = BATCH_STATUSES;
        return findPlace(
          BATCH_STATUSES,
          first,
          Object.fromEntries(others.map((status) => [status, `status = '${status}'`])),
        );
      },
      lines: ({ asJson }) => readDetail(`${asJson("detail")}->'counts'->>'total'`),
      cost: ({ asJson }) => readDetail(`${asJson("detail")}->'sums'->>'costNanoUsd'`),
    },
  },
};

function readDetail(number: string): SortValue {
  return { value: `coalesce(CAST(${number} AS BIGINT), 0)` };
}

/** The place of the first state whose condition holds. */
function findPlace<State extends string>(
  states: readonly State[],
  otherwise: State,
  conditions: Readonly<Partial<Record<State, string>>>,
): SortValue {
  const cases = states.toReversed().flatMap((state) => {
    const condition = conditions[state];
    return condition === undefined ? [] : [`WHEN ${condition} THEN ${states.indexOf(state)}`];
  });
  return { value: `CASE ${cases.join(" ")} ELSE ${states.indexOf(otherwise)} END` };
}

/**
 * One group, because a distributed engine refuses correlated subqueries. SQLite would group the hours of a month in the order
 * of an index of their owners, which reads all rows in four times the time: an expression has no index.
 */
function findSums(owner: string, sum: string, condition: string): SortValue {
  return {
    sums: `SELECT ${owner} AS sum_of, CAST(${sum} AS BIGINT) AS of_row
      FROM hourly_usage ${condition} HAVING ${sum} <> 0`,
  };
}

/** Hours that began before the month and end in it count, as in the rows' own sums. */
function findCosts<Filter>(owner: string, { by, costs }: SortedValueParts<Filter>): SortValue {
  const { sinceMs, scope } = costs;
  const isSince = `hour_ms > ${by.bind(sinceMs - HOUR_MS)}`;
  const isSeen = scope ? composeScope(scope, USE_ROWS, (value) => by.bind(value)) : null;
  const condition = isSeen === null ? isSince : `${isSince} AND (${isSeen})`;
  return findSums(
    `coalesce(${owner}, '')`,
    "sum(cost_nano)",
    `WHERE ${condition} GROUP BY coalesce(${owner}, '')`,
  );
}

export function makeSortedMethods(engine: Engine): Pick<Store["things"], "sorted"> {
  return {
    sorted: async (list, page, { filter, costs = { sinceMs: 0 } }) => {
      const { table, narrow, values } = LISTS[list];
      const by = new Narrowing(engine.mark);
      const isFound = narrow(by, filter);
      const compose = values[page.by];
      const value = compose({ by, filter, costs, asJson: engine.asJson });
      const text = composeSorted(engine, by, table, value, page);
      const isBounded = isFound && "value" in value && value.isIndexed === true;
      const found = await runLookup(engine, { text, values: by.values, isBounded });
      return found.map(readSorted(page.by, table.rowOf));
    },
  };
}
