// The one place that turns a viewer's scope into a condition, so that every list, sum and look-up is narrowed alike.
import type { Scope } from "../core/people.ts";
import type { Statement } from "./engine.ts";
import type { Value } from "./found.ts";
import type { Mark } from "./sql.ts";

/** The columns by which a table's rows belong to accounts and people. */
export interface ScopedRows {
  /** The column with the account's id. */
  readonly account: string;
  /** The condition on the rows of a person's own keys, whose id is at the mark. Null if no row belongs to a key. */
  readonly own: ((memberMark: string) => string) | null;
}

export const KEY_ROWS: ScopedRows = { account: "account_id", own: (at) => `member_id = ${at}` };
export const ACCOUNT_ROWS: ScopedRows = { account: "id", own: null };
/** Requests and sums, which name their key. */
export const USE_ROWS: ScopedRows = {
  account: "account_id",
  own: (at) => `key_id IN (SELECT id FROM gateway_key WHERE member_id = ${at})`,
};

/** Rows of an account or of one of its keys. */
export const OWNER_ROWS: ScopedRows = {
  account: "account_id",
  own: (at) => `owner IN (SELECT id FROM gateway_key WHERE member_id = ${at})`,
};

/** No row satisfies it. */
const NOTHING = "1 = 0";

/** Returns the condition that a row is within the scope, or null if every row is. `bindValue` returns a placeholder. */
export function composeScope(
  { accountIds, own }: Scope,
  { account, own: composeOwn }: ScopedRows,
  bindValue: (value: Value) => string,
): string | null {
  if (accountIds === null) return null;
  const inAccounts = (ids: readonly string[]) =>
    ids.length === 0 ? NOTHING : `${account} IN (${ids.map(bindValue).join(", ")})`;
  const whole = inAccounts(accountIds);
  if (own === null || composeOwn === null) return whole;
  const ofMember = composeOwn(bindValue(own.memberId));
  return `${whole} OR ${own.accountIds === null ? ofMember : `${ofMember} AND ${inAccounts(own.accountIds)}`}`;
}

/** Returns a look-up narrowed to the scope: `head` ends within its conditions, of which `tail` has no more. */
export function narrowToScope(
  { head, tail = "", values, rows }: ScopedLookup,
  scope: Scope | undefined,
  mark: Mark,
): Statement {
  const bound = [...values];
  const condition = scope ? composeScope(scope, rows, (value) => mark(bound.push(value))) : null;
  return { text: `${head} ${condition === null ? "" : `AND (${condition})`} ${tail}`, values: bound };
}

interface ScopedLookup {
  readonly head: string;
  readonly tail?: string;
  readonly values: readonly Value[];
  readonly rows: ScopedRows;
}
