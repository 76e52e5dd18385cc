// The accounts and keys of a state file: which rows they stand for, and what would change of them.

import { viewChosen, viewFields } from "../../admin/fields.ts";
import {
  addAccount,
  addKey,
  bringAccount,
  bringKey,
  makeAccount,
  makeKey,
  reviseAccount,
  reviseKey,
} from "../../admin/keys/bring.ts";
import { makeSecret } from "../../admin/keys/new-secret.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { applyChange } from "../../core/fields/field.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { type GatewayKey, showPausers } from "../../core/keys/key.ts";
import { mintId } from "../../keys/secret.ts";
import { StateAccountNames } from "./account-names.ts";
import { compareFields, digestFields } from "./compare.ts";
import type { Change, Draft } from "./draft.ts";
import { type AccountEntry, describeFault, type Entry, type KeyEntry } from "./file.ts";
import { makeKeyPlace, type StateWorld } from "./known.ts";
import { Matcher } from "./match.ts";

type World = Pick<StateWorld, "random" | "clock" | "keysExpireInMs" | "aliasNames">;
/** An entry's row, by the kind, id and name that its change is shown with. */
type About = Pick<Change, "kind" | "id" | "name" | "account">;

/** Keeps an entry's Faults as mistakes of the file. */
function orRefuse(draft: Draft, { path }: Entry, plan: () => void): void {
  try {
    plan();
  } catch (fault) {
    draft.issues.push(describeFault(fault, path));
  }
}

function makeReading({ clock, keysExpireInMs, aliasNames }: World) {
  return { nowMs: clock.nowMs(), keysExpireInMs, aliasNames };
}

/** Returns the accounts by the names that the file may call them, with those that it would make. */
export function planAccounts(draft: Draft, world: World): StateAccountNames {
  const { known, memory, state } = draft;
  const matcher = new Matcher("account", known.accounts, state.accounts, memory);
  const names = new StateAccountNames(known.accounts);
  for (const entry of state.accounts)
    orRefuse(draft, entry, () => planAccount(draft, entry, { matcher, names, world }));
  return names;
}

interface AccountParts {
  readonly matcher: Matcher<Draft["known"]["accounts"][number]["of"]>;
  readonly names: StateAccountNames;
  readonly world: World;
}

function planAccount(draft: Draft, entry: AccountEntry, { matcher, names, world }: AccountParts): void {
  const { fields, name } = entry;
  const found = matcher.match({ id: entry.id, place: name });
  if (found.kind === "wrong") {
    names.skip(name);
    draft.refuse(entry, found.field, found.message);
    return;
  }
  const id = found.kind === "new" ? (entry.id ?? mintId("acct", world.random)) : found.row.id;
  names.add(id, name, found.kind === "stays");
  const about: About = { kind: "account", id, name, account: null };
  const isSame = draft.rememberEntry(
    { ...about, place: name, digest: digestFields(fields) },
    found.kind === "new",
  );
  if (found.kind === "stays") {
    draft.kept.push({ ...about, reason: "closed, and stays closed" });
  } else if (found.kind === "new") {
    const fresh = makeAccount(fields, id, makeReading(world));
    draft.rows.push({ kind: "account", before: null, after: fresh });
    const run: Change["run"] = (at) => addAccount(at, fresh, { isKnown: (one) => names.has(one) });
    const after = viewChosen(ACCOUNT_FIELDS, fresh);
    draft.changes.push({ ...about, action: "account.created", before: null, after, isDrift: isSame, run });
  } else {
    const before = found.row.of;
    const after = applyChange(before, reviseAccount(fields, makeReading(world))(before));
    draft.rows.push({ kind: "account", before, after });
    const views = [before, after].map((row) => viewFields(ACCOUNT_FIELDS, row));
    const run: Change["run"] = (at) => bringAccount(at, id, fields);
    addChange(draft, { ...about, action: "account.changed", isDrift: isSame, run }, views);
    notePause(draft, about, before, fields.paused);
  }
}

export function planKeys(draft: Draft, names: StateAccountNames, world: World): void {
  const { known, memory, state } = draft;
  const matcher = new Matcher("key", known.keys, state.keys, memory);
  const personal = new Set(known.personalKeys.map(({ id }) => id));
  // Keys of one name in the file have ids, so the first that is made doesn't stand in the way of the next.
  const knownIds = new Set<string | null>([...known.keys, ...state.keys].map(({ id }) => id));
  const isKnown = (id: string) => knownIds.has(id);
  for (const entry of state.keys) {
    if (personal.has(entry.id ?? "")) {
      draft.refuse(entry, "id", "this key belongs to a person, so no file changes it");
      continue;
    }
    const account = names.find(String(entry.fields.account_id ?? "default"));
    if (account.kind === "wrong") draft.refuse(entry, "account_id", account.message);
    if (account.kind === "account")
      orRefuse(draft, entry, () => planKey(draft, entry, { matcher, names, world, account, isKnown }));
  }
}

interface KeyParts {
  readonly matcher: Matcher<GatewayKey>;
  readonly names: StateAccountNames;
  readonly world: World;
  readonly account: { readonly id: string; readonly isClosed: boolean };
  readonly isKnown: (id: string) => boolean;
}

function planKey(draft: Draft, entry: KeyEntry, parts: KeyParts): void {
  const { matcher, names, world, account } = parts;
  const { name } = entry;
  const fields = { ...entry.fields, account_id: account.id };
  const place = makeKeyPlace({ accountId: account.id, name });
  const found = matcher.match({ id: entry.id, place });
  if (found.kind === "wrong") {
    draft.refuse(entry, found.field, found.message);
    return;
  }
  const id = found.kind === "new" ? (entry.id ?? mintId("key", world.random)) : found.row.id;
  const about: About = { kind: "key", id, name, account: names.nameOf(account.id) };
  const isSame = draft.rememberEntry({ ...about, place, digest: digestFields(fields) }, found.kind === "new");
  if (found.kind === "stays") {
    const hint = entry.id === null ? "; make one of this name by `poundkey keys add`, or choose another" : "";
    draft.kept.push({ ...about, reason: `revoked, and stays revoked${hint}` });
    return;
  }
  const isMoved = found.kind === "new" || found.row.of.accountId !== account.id;
  if (account.isClosed && isMoved) {
    draft.refuse(entry, "account_id", "this account is closed");
    return;
  }
  if (found.kind === "new") {
    planNewKey(draft, { ...about, isDrift: isSame }, fields, parts);
    return;
  }
  const before = found.row.of;
  const after = applyChange(before, reviseKey(fields, makeReading(world))(before));
  draft.rows.push({ kind: "key", before, after });
  const views = [before, after].map((row) => viewFields(KEY_FIELDS, row));
  const run: Change["run"] = (at) => bringKey(at, id, fields);
  addChange(draft, { ...about, action: "key.changed", isDrift: isSame, run }, views);
  notePause(draft, about, before, fields.paused);
}

type New = About & Pick<Change, "isDrift">;

function planNewKey(
  draft: Draft,
  about: New,
  fields: Parameters<typeof makeKey>[0],
  { world, isKnown }: KeyParts,
): void {
  const { id, name } = about;
  const make = (last4: string) => makeKey(fields, { id, last4 }, makeReading(world));
  const planned = make("");
  const run: Change["run"] = async (at, keep) => {
    const { secret, last4, digest } = makeSecret(at);
    keep({ kind: "key", id, name, accountId: planned.accountId, secret });
    await addKey(at, { fresh: make(last4), digest }, { isKnown });
  };
  draft.rows.push({ kind: "key", before: null, after: planned });
  const after = viewChosen(KEY_FIELDS, planned);
  draft.changes.push({ ...about, action: "key.created", before: null, after, run });
}

/** Adds a change of a row that is here, if any of its fields differs. */
function addChange(
  draft: Draft,
  change: Omit<Change, "before" | "after">,
  [before = {}, after = {}]: readonly Readonly<Record<string, unknown>>[],
): void {
  const differing = compareFields(before, after);
  if (differing === null) draft.unchanged++;
  else draft.changes.push({ ...change, ...differing });
}

/** A pause that the file doesn't have stays, and is listed. */
function notePause(draft: Draft, about: About, row: Parameters<typeof showPausers>[0], value: unknown): void {
  const causes = showPausers(row);
  if (causes.length === 0 || value === true) return;
  draft.kept.push({ ...about, reason: `paused (${causes.join(", ")}), and stays paused` });
}
