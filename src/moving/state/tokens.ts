// The named tokens of a state file: which ones would be made. The rights of a token never change.
import {
  createToken,
  makeTokenParts,
  readNewToken,
  type TokenView,
} from "../../admin/people/named-tokens.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { omitUndefined } from "../../core/json/json.ts";
import type { StateAccountNames } from "./account-names.ts";
import { compareFields, digestFields } from "./compare.ts";
import type { Change, Draft } from "./draft.ts";
import { describeFault, type TokenEntry } from "./file.ts";
import type { StateWorld } from "./known.ts";
import { Matcher } from "./match.ts";

type TokenWorld = Pick<StateWorld, "random" | "clock">;
type TokenEntryFields = TokenEntry["fields"];

/** Their accounts are known by then, also those that are still to be made. */
export function planTokens(draft: Draft, names: StateAccountNames, world: TokenWorld): void {
  const { known, memory, state } = draft;
  const matcher = new Matcher("token", known.tokens, state.tokens, memory);
  for (const entry of state.tokens) {
    const accounts = findAccounts(draft, entry, names);
    if (accounts === undefined) continue;
    // The order of a token's accounts means nothing.
    const fields = { ...entry.fields, accounts: accounts?.toSorted() ?? null };
    try {
      planToken(draft, { ...entry, fields }, { matcher, world });
    } catch (fault) {
      draft.issues.push(describeFault(fault, entry.path));
    }
  }
}

/** Returns their ids, null for all accounts, and undefined if one is wrong. */
function findAccounts(
  draft: Draft,
  entry: TokenEntry,
  names: StateAccountNames,
): readonly string[] | null | undefined {
  const given = entry.fields.accounts ?? null;
  if (given === null) return null;
  const ids: string[] = [];
  for (const [at, name] of given.entries()) {
    const found = names.find(name);
    if (found.kind === "wrong") draft.refuse(entry, ["accounts", at], found.message);
    if (found.kind === "account") ids.push(found.id);
  }
  return ids.length === given.length ? [...new Set(ids)] : undefined;
}

interface TokenMatchParts {
  readonly matcher: Matcher<TokenView>;
  readonly world: TokenWorld;
}

function planToken(draft: Draft, entry: TokenEntry, { matcher, world }: TokenMatchParts): void {
  const { name, fields } = entry;
  const found = matcher.match({ id: entry.id, place: name });
  if (found.kind === "wrong") {
    draft.refuse(entry, found.field, found.message);
    return;
  }
  const parts = makeTokenParts(world);
  const id = found.kind === "new" ? (entry.id ?? parts.id) : found.row.id;
  const about = { kind: "token", id, name, account: null } as const;
  const isDrift = draft.rememberEntry(
    { ...about, place: name, digest: digestFields(fields) },
    found.kind === "new",
  );
  if (found.kind === "stays") {
    const reason = found.row.state === "ended" ? "revoked, and stays revoked" : "expired, and stays so";
    draft.kept.push({ ...about, reason });
  } else if (found.kind === "new") {
    readNewToken(fields, world.clock.nowMs());
    const run: Change["run"] = (at, keep) => {
      keep({ kind: "token", id, name, accountId: null, secret: parts.secret });
      return createToken(at, fields, undefined, { id, secret: parts.secret });
    };
    draft.changes.push({
      ...about,
      action: "token.created",
      before: null,
      after: showNew(fields),
      isDrift,
      run,
    });
  } else refuseChange(draft, entry, found.row.of);
}

function showNew({ id: _id, accounts, ...fields }: TokenEntryFields & { readonly id?: string | undefined }) {
  return omitUndefined({ ...fields, accounts: accounts ?? undefined });
}

/** A token that could be widened later would be worth more than it was when it was given to somebody. */
function refuseChange(draft: Draft, entry: TokenEntry, view: TokenView): void {
  const given = new Map<string, unknown>(Object.entries(entry.fields));
  const wanted = Object.entries(TOKEN_FIELDS).map(([name, field]) => {
    const value = given.get(name) ?? ("initial" in field ? field.initial : undefined);
    return [name, name === "expires_at" ? readExpiry(value, view) : value] as const;
  });
  const before = { ...view, accounts: view.accounts?.toSorted() ?? null };
  const differing = compareFields(before, Object.fromEntries(wanted));
  if (differing === null) {
    draft.unchanged++;
    return;
  }
  for (const [name, value] of Object.entries(differing.before)) {
    const has = `a token stays as it was made, and this one has ${JSON.stringify(value)}`;
    draft.refuse(entry, name, `${has}; give a new token another name`);
  }
}

/** Without one, a token ends a year after it is made. */
function readExpiry(value: unknown, { expires_at }: TokenView): unknown {
  if (typeof value !== "string" || expires_at === null) return value ?? expires_at;
  return Date.parse(value) === Date.parse(expires_at) ? expires_at : value;
}
