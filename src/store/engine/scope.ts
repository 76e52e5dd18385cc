// The one place that turns a viewer's scope into a condition, so that every list, sum and look-up is narrowed alike.
import type { Scope } from "../../core/people/people.ts";
import type { Value } from "../columns/found.ts";
import type { Statement } from "./engine.ts";
import { escapeLike, type Mark } from "./sql.ts";

/** The columns by which a table's rows belong to accounts and people. */
export interface ScopedRows {
  /** The column with the account's id. */
  readonly account: string;
  /** The condition on the rows of a person's own keys, whose id is at the mark. Null if no row belongs to a key. */
  readonly personal: ((memberMark: string) => string) | null;
}

export const KEY_ROWS: ScopedRows = { account: "account_id", personal: (at) => `member_id = ${at}` };
export const ACCOUNT_ROWS: ScopedRows = { account: "id", personal: null };
/** Requests and sums, which name their key. */
export const USE_ROWS: ScopedRows = {
  account: "account_id",
  personal: (at) => `key_id IN (SELECT id FROM gateway_key WHERE member_id = ${at})`,
};

/** Rows of an account, of one of its keys, or of a member within it. */
export const OWNER_ROWS: ScopedRows = {
  account: "account_id",
  personal: (at) => `(owner = ${at} OR owner IN (SELECT id FROM gateway_key WHERE member_id = ${at}))`,
};

/** No row satisfies it. */
const NOTHING = "1 = 0";

/** Returns the condition that a row is within the scope, or null if every row is. `bindValue` returns a placeholder. */
export function composeScope(
  { accountIds, personal }: Scope,
  { account, personal: composePersonal }: ScopedRows,
  bindValue: (value: Value) => string,
): string | null {
  if (accountIds === null) return null;
  const inAccounts = (ids: readonly string[]) =>
    ids.length === 0 ? NOTHING : `${account} IN (${ids.map(bindValue).join(", ")})`;
  const whole = inAccounts(accountIds);
  if (personal === null || composePersonal === null) return whole;
  const ofMember = composePersonal(bindValue(personal.memberId));
  return `${whole} OR ${personal.accountIds === null ? ofMember : `${ofMember} AND ${inAccounts(personal.accountIds)}`}`;
}

/** Returns a look-up narrowed to the scope: `head` ends within its conditions, of which `tail` has no more. */
export function narrowToScope(
  { rows, ...lookup }: ScopeLookup & { readonly rows: ScopedRows },
  scope: Scope | undefined,
  mark: Mark,
): Statement {
  return narrow(lookup, scope && ((bindValue) => composeScope(scope, rows, bindValue)), mark);
}

/** The same for people, who are seen by the accounts that their grants name. A grant for all accounts names none. */
export function narrowMembers(lookup: ScopeLookup, scope: Scope | undefined, mark: Mark): Statement {
  return narrow(lookup, scope && ((bindValue) => composeMemberScope(scope, bindValue)), mark);
}

/** Returns the same condition for people. */
export function composeMemberScope(
  { accountIds }: Scope,
  bindValue: (value: Value) => string,
): string | null {
  if (accountIds === null) return null;
  const conditions = accountIds.map((id) => {
    const part = bindValue(`%"accountId":${escapeLike(JSON.stringify(id))}%`);
    return `rule_grants LIKE ${part} ESCAPE '\\' OR own_grants LIKE ${part} ESCAPE '\\'`;
  });
  return conditions.length === 0 ? NOTHING : conditions.join(" OR ");
}

interface ScopeLookup {
  readonly head: string;
  readonly tail?: string;
  readonly values: readonly Value[];
}

function narrow(
  { head, tail = "", values }: ScopeLookup,
  compose: ((bindValue: (value: Value) => string) => string | null) | undefined,
  mark: Mark,
): Statement {
  const bound = [...values];
  const condition = compose?.((value) => mark(bound.push(value))) ?? null;
  return { text: `${head} ${condition === null ? "" : `AND (${condition})`} ${tail}`, values: bound };
}
