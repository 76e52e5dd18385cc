// Filters of the log that name a key, an account or a provider otherwise than its rows do, and those that name none.

import { makeSystemAccount } from "../../core/books/journal.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { SAMPLING_KEY } from "../../core/keys/key.ts";
import { HOOKS_KEY } from "../../core/models/hook.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import { findNearest } from "../../core/text/nearest.ts";
import type { Page } from "../../core/world/page.ts";
import type { Clock } from "../../core/world/world.ts";
import { CONSOLE_KEY } from "../keys/keys.ts";

export interface FilterParts {
  readonly store: Pick<Store, "key" | "keys" | "account" | "accounts" | "usage">;
  readonly clock: Pick<Clock, "nowMs">;
  /** The providers that are known, on or off. If missing, a provider's name is taken as it is. */
  readonly providerNames?: () => readonly string[];
}

interface NamedFilters {
  readonly key?: string | undefined;
  readonly key_id?: string | undefined;
  readonly account?: string | undefined;
  readonly account_id?: string | undefined;
  readonly provider?: string | undefined;
}

interface FilterRow {
  readonly id: string;
  readonly name: string;
}

/** A name that more of them contain can't be told apart. */
const FOUND: Page = { limit: 200, after: null };
const IDS_SHOWN_MAX = 5;
/** Ids that the gateway makes, and its own keys'. One that has no row, any more or yet, matches nothing. */
const KEY_ID = new RegExp(`^(key_.*|${CONSOLE_KEY}(_.*)?|${SAMPLING_KEY}|${HOOKS_KEY})$`);
const ACCOUNT_ID = /^acct?_/;

/**
 * Returns the filters with ids for the names of keys and accounts that only one has, and a provider's name as it is
 * written. Throws the Fault `invalid_value` for those that nothing has.
 */
export async function findFilters<Query extends NamedFilters>(
  parts: FilterParts,
  query: Query,
  scope: Scope | undefined,
): Promise<Query> {
  const found: Record<string, string> = {};
  for (const field of ["key", "key_id"] as const) {
    const given = query[field];
    if (given !== undefined) found[field] = await findKeyId(parts, field, given, scope);
  }
  for (const field of ["account", "account_id"] as const) {
    const given = query[field];
    if (given !== undefined) found[field] = await findAccountId(parts, field, given, scope);
  }
  if (query.provider !== undefined) found.provider = await findProviderName(parts, query.provider, scope);
  return { ...query, ...found };
}

async function findKeyId(
  { store, clock }: FilterParts,
  field: string,
  given: string,
  scope: Scope | undefined,
): Promise<string> {
  if (KEY_ID.test(given) || (await store.key(given, scope)) !== null) return given;
  const found = await store.keys(FOUND, { text: given.toLowerCase(), nowMs: clock.nowMs(), scope });
  return chooseId(field, given, found, "key");
}

async function findAccountId(
  { store }: FilterParts,
  field: string,
  given: string,
  scope: Scope | undefined,
): Promise<string> {
  const isId = ACCOUNT_ID.test(given) || makeSystemAccount(given) !== null;
  if (isId || (await store.account(given, scope)) !== null) return given;
  const found = await store.accounts(FOUND, { text: given.toLowerCase(), scope });
  return chooseId(field, given, found, "account");
}

function chooseId(
  field: string,
  given: string,
  found: readonly FilterRow[],
  what: "key" | "account",
): string {
  const ids = found.filter(({ name }) => name.toLowerCase() === given.toLowerCase()).map(({ id }) => id);
  const [id, another] = ids;
  if (id !== undefined && another === undefined) return id;
  if (id === undefined) throw invalidValue(field, `expected the id of ${WORDS[what]}, or the name of one`);
  const shown = ids.slice(0, IDS_SHOWN_MAX).join(", ");
  throw invalidValue(field, `several ${what}s have this name; expected the id of one, such as ${shown}`);
}
const WORDS = { key: "a key, such as key_2f8c41d0", account: "an account, such as acct_5b1e" } as const;

/** Only a name that isn't known is looked for in all sums, since a provider may have gone. */
async function findProviderName(
  { store, clock, providerNames }: FilterParts,
  given: string,
  scope: Scope | undefined,
): Promise<string> {
  if (providerNames === undefined) return given;
  const names = providerNames();
  const known = names.find((name) => name === given) ?? names.find((name) => isSame(name, given));
  if (known !== undefined) return known;
  const span = { fromMs: 0, toMs: clock.nowMs() + HOUR_MS };
  const sums = await store.usage({ ...span, groupBy: [], only: { provider: given, scope } });
  if (sums.some(({ requests }) => requests > 0)) return given;
  const [near] = findNearest(given, names, 1);
  const hint = near === undefined ? "" : `; the nearest name is ${near}`;
  throw invalidValue("provider", `there is no provider of this name${hint}`);
}
const HOUR_MS = 3_600_000;

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
