// The database at the end of a day, read with separate SQL and compared with the auditor's own ledger.
import type { Database } from "bun:sqlite";
import { OPEN_NOTES } from "../harness/noted.ts";
import type { DayRecord } from "./day.ts";
import type { Model } from "./model.ts";

type Value = string | number | bigint | null;
type Row = Record<string, Value>;

/** Rows with whole numbers in full precision. */
function rows(database: Database, sql: string): readonly Row[] {
  const statement = database.prepare<Row, []>(sql);
  const all = statement.all();
  statement.finalize();
  return all;
}

/** Queries that return no rows for sound books, by the problem they find. */
const UNSOUND: Readonly<Record<string, string>> = {
  "a hold is left": "SELECT id, node FROM hold",
  "a noted request has no row": OPEN_NOTES,
  "a movement does not add up to zero":
    "SELECT account_id, seq FROM entry WHERE balance_nano + held_nano + funding_nano + revenue_nano + overrun_nano <> 0",
  "a balance below zero":
    "SELECT id FROM account WHERE balance_nano < 0 OR held_nano <> 0 UNION SELECT account_id FROM entry WHERE balance_after_nano < 0",
  "a balance that its journal does not come to": `
    SELECT id, balance_nano FROM account WHERE
      balance_nano <> (SELECT coalesce(sum(balance_nano), 0) FROM entry WHERE account_id = account.id)
      OR entries <> (SELECT count(*) FROM entry WHERE account_id = account.id)
      OR held_nano <> (SELECT coalesce(sum(held_nano), 0) FROM entry WHERE account_id = account.id)`,
  "a broken chain": `
    SELECT one.account_id, one.seq FROM entry AS one
      LEFT JOIN entry AS before ON before.account_id = one.account_id AND before.seq = one.seq - 1
      WHERE one.balance_after_nano <> coalesce(before.balance_after_nano, 0) + one.balance_nano
        OR (one.seq > 1 AND before.seq IS NULL)`,
  "a hold that was not resolved once": `
    SELECT account_id, request_id FROM entry WHERE request_id IS NOT NULL GROUP BY account_id, request_id
      HAVING sum(kind = 'hold') <> sum(kind IN ('post', 'void')) OR sum(kind = 'post') > 1 OR sum(kind = 'overrun') > 1
        OR sum(held_nano) <> 0`,
  "a row that its journal does not bear out": `
    SELECT request.id, charged_nano FROM request LEFT JOIN
      (SELECT request_id, sum(balance_nano) AS moved FROM entry WHERE request_id IS NOT NULL GROUP BY request_id) AS journal
      ON journal.request_id = request.id WHERE charged_nano <> -coalesce(journal.moved, 0)`,
  // A request that was admitted, lost and then refused has moved money to and fro.
  "money moved for a request without a row": `
    SELECT request_id FROM entry WHERE request_id IS NOT NULL AND request_id NOT IN (SELECT id FROM request)
      GROUP BY request_id HAVING sum(balance_nano) <> 0`,
  "a movement that its row gainsays": `
    SELECT entry.request_id FROM entry JOIN request ON request.id = entry.request_id
      WHERE kind IN ('post', 'overrun') AND (entry.ended <> request.ended OR entry.usage_source <> request.usage_source)`,
  "spending that the rows do not come to": `
    SELECT key_id FROM spend WHERE held_nano <> 0
      OR spent_nano <> (SELECT coalesce(sum(charged_nano), 0) FROM request WHERE key_id = spend.key_id)`,
  "an hour's sum that its rows do not come to": `
    SELECT sums.* FROM
      (SELECT at_ms / 3600000 * 3600000 AS hour, account_id AS account, key_id AS key,
         coalesce(model_used, CASE WHEN usage_source <> 'none' THEN model_tried END, model_planned, '') AS model,
         count(*) AS n, sum(status >= 400 AND status <> 499) AS failed, sum(cost_nano) AS cost, sum(charged_nano) AS charged, sum(prompt_tokens) AS prompt,
         sum(completion_tokens) AS completion FROM request GROUP BY 1, 2, 3, 4) AS sums
      FULL JOIN (SELECT hour_ms, account_id, key_id, model, sum(requests) AS requests, sum(errors) AS errors,
          sum(cost_nano) AS cost_nano, sum(charged_nano) AS charged_nano, sum(prompt_tokens) AS prompt_tokens,
          sum(completion_tokens) AS completion_tokens
        FROM hourly_usage WHERE requests <> 0 GROUP BY 1, 2, 3, 4) AS kept
        ON hour = hour_ms AND account = kept.account_id AND key = kept.key_id AND sums.model = kept.model
      WHERE n IS NOT requests OR failed IS NOT errors OR cost IS NOT cost_nano OR charged IS NOT charged_nano
        OR prompt IS NOT prompt_tokens OR completion IS NOT completion_tokens`,
  "a tag's sum that its rows do not come to": `
    SELECT sums.*, kept.* FROM
      (SELECT at_ms / 3600000 * 3600000 AS hour, account_id AS account, key_id AS key, tag.value AS tag, count(*) AS n,
         sum(cost_nano) AS cost, sum(charged_nano) AS charged
       FROM request, json_each('["' || coalesce(replace(tags, ',', '","'), '') || '"]') AS tag GROUP BY 1, 2, 3, 4) AS sums
      FULL JOIN (SELECT hour_ms, account_id, key_id, tag, sum(requests) AS requests, sum(cost_nano) AS cost_nano,
          sum(charged_nano) AS charged_nano
        FROM (SELECT hour_ms, account_id, key_id, tag, requests, cost_nano, charged_nano FROM hourly_tag
          UNION ALL SELECT hour_ms, account_id, key_id, tag, requests, cost_nano, charged_nano FROM hourly_usage
            WHERE tag = '') WHERE requests <> 0 GROUP BY 1, 2, 3, 4) AS kept
        ON hour = hour_ms AND account = kept.account_id AND key = kept.key_id AND sums.tag = kept.tag
      WHERE n IS NOT requests OR cost IS NOT cost_nano OR charged IS NOT charged_nano`,
  "kept replies that are not counted": `
    SELECT id FROM account WHERE kept_characters <>
      (SELECT coalesce(sum(length(sealed)), 0) FROM reply WHERE account_id = account.id)`,
  "a reply that waits for nobody": "SELECT id FROM reply WHERE state = 'pending'",
};

/** The store's own audit must agree. */
function ownAudit({ audit }: DayRecord): readonly string[] {
  const { balances, held, system, accounts, strayEntries, limits } = audit;
  const sum = balances + held + system.funding + system.revenue + system.overrun;
  const isSound = accounts.every(
    (one) =>
      one.balanceNanoUsd === one.journalBalanceNanoUsd &&
      one.heldNanoUsd === 0 &&
      one.openHoldsNanoUsd === 0 &&
      one.entries === one.journalEntries &&
      one.brokenEntries === 0,
  );
  return sum === 0n && held === 0n && strayEntries === 0 && limits.length === 0 && isSound
    ? []
    : [`the store's own audit: ${JSON.stringify(audit, texts)}`];
}

export function auditBooks(day: DayRecord, model: Model): readonly string[] {
  const { database, scenario } = day;
  const problems = [...ownAudit(day)];
  for (const [what, sql] of Object.entries(UNSOUND)) {
    for (const found of rows(database, sql)) problems.push(`${what}: ${JSON.stringify(found, texts)}`);
  }
  const compare = (what: string, found: unknown, expected: unknown) => {
    const is = JSON.stringify(found, texts);
    const should = JSON.stringify(expected, texts);
    if (is !== should) problems.push(`${what} is ${is}, by the rules it is ${should}`);
  };
  for (const { id } of scenario.accounts) {
    const account = model.accounts.get(id);
    const [sums] = rows(
      database,
      `SELECT balance_nano AS balance,
         (SELECT -coalesce(sum(funding_nano), 0) FROM entry WHERE account_id = account.id) AS funded,
         (SELECT coalesce(sum(revenue_nano), 0) FROM entry WHERE account_id = account.id) AS revenue,
         (SELECT -coalesce(sum(overrun_nano), 0) FROM entry WHERE account_id = account.id) AS writtenOff
       FROM account WHERE id = '${id}'`,
    );
    const { balance, funded, revenue, writtenOff } = account ?? {};
    compare(`account ${id}`, sums, { balance, funded, revenue, writtenOff });
  }
  compare(
    "the spending of the keys",
    rows(database, "SELECT key_id AS key, spent_nano AS spent FROM spend WHERE spent_nano > 0 ORDER BY 1"),
    [...model.spends]
      .filter(([, { spent }]) => spent > 0n)
      .map(([key, { spent }]) => ({ key, spent }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  );
  compareDays(database, model, compare);
  compareLimits(database, model, compare);
  compare(
    "the kept replies",
    rows(database, "SELECT id, request_id AS requestId, state FROM reply ORDER BY id"),
    [...model.replies]
      .map(([id, { requestId, state }]) => ({ id, requestId, state }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  compare(
    "what the requests were charged",
    rows(database, "SELECT id, charged_nano AS charged FROM request ORDER BY id"),
    [...model.rows].map(([id, { charged }]) => ({ id, charged })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  return problems;
}

/** Compares the counts of limits and budgets. */
function compareLimits(
  database: Database,
  { limits }: Model,
  compare: (what: string, found: unknown, expected: unknown) => void,
): void {
  const found = rows(database, "SELECT owner, minute, budgets FROM slot ORDER BY owner");
  const parse = (json: Value | undefined) => (typeof json === "string" ? JSON.parse(json) : null);
  const budgetsIn = (
    json: Value | undefined,
  ): readonly { name: string; spentNanoUsd: number; heldNanoUsd: number }[] => parse(json) ?? [];
  compare(
    "the budgets used",
    found
      .flatMap(({ owner, budgets }) =>
        budgetsIn(budgets).map((one) => `${owner} ${one.name}: ${one.spentNanoUsd} and ${one.heldNanoUsd}`),
      )
      .toSorted(),
    [...limits.owners]
      .flatMap(([owner, { budgets }]) =>
        [...budgets].map(([name, { spent, held }]) => `${owner} ${name}: ${spent} and ${held}`),
      )
      .toSorted(),
  );
  compare(
    "the requests under way",
    found.flatMap(({ owner, minute }) => (parse(minute)?.parallel ? [owner] : [])),
    [],
  );
  compare(
    "the events of budgets",
    rows(database, "SELECT id FROM event WHERE type = 'budget.warned' ORDER BY id")
      .map(({ id }) => String(id).split(" ").slice(2).join(" "))
      .toSorted(),
    limits.warned.map((one) => one.split(" ").slice(1).join(" ")).toSorted(),
  );
}

/** Compares the places taken on each owner's days. */
function compareDays(
  database: Database,
  { days }: Model,
  compare: (what: string, found: unknown, expected: unknown) => void,
): void {
  compare(
    "the allowance used",
    rows(
      database,
      `SELECT owner || ' ' || day AS id, used, given_back AS givenBack, free_spent_nano AS freeSpent,
         free_held_nano AS freeHeld FROM meter
         WHERE used + given_back + free_spent_nano + free_held_nano > 0 ORDER BY id`,
    ),
    [...days.meters]
      .map(([id, { used, givenBack, freeSpent, freeHeld }]) => ({ id, used, givenBack, freeSpent, freeHeld }))
      // A meter may only note requests.
      .filter((day) => day.used + day.givenBack > 0 || day.freeSpent + day.freeHeld > 0n)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  compare(
    "the throttle's slots",
    rows(
      database,
      "SELECT owner, taken_by AS by, taken_at_ms AS atMs FROM slot WHERE taken_by IS NOT NULL ORDER BY owner",
    ),
    [...days.slots]
      .flatMap(([owner, slot]) => (slot ? [{ owner, by: slot.by, atMs: Math.round(slot.atMs) }] : []))
      .toSorted((a, b) => (a.owner < b.owner ? -1 : 1)),
  );
}

/** `value` is what is left of a bigint as JSON, so the number itself is looked up. */
function texts(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const given = this[name];
  return typeof given === "bigint" || typeof given === "number" ? String(given) : value;
}
