// Writes accounts and keys that an import found. It can be repeated: those that are here are only narrowed.
import type { ActingWorld } from "../admin/world.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { FOREIGN_SECRETS, readForeignUntil } from "../core/keys/foreign-secret.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import { nameBudget } from "../core/limits/budget.ts";
import type { OwnerState } from "../core/rows.ts";
import type { QuotaRules } from "../core/settings.ts";
import { digestSecret, mintSecret } from "../keys/secret.ts";
import type { LedgerRules } from "../ledger/allowance.ts";
import { openUse } from "../ledger/limits/budget-use.ts";
import { computeWindow, makeWindowRules } from "../ledger/limits/window.ts";
import { AccountNames } from "./account-names.ts";
import { openBalance } from "./balances.ts";
import { deriveNext } from "./ids.ts";
import { digestAccount, digestKey, isUndoneAccount, isUndoneKey } from "./made.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners, Spending } from "./plan.ts";
import { endMissing, repeatAccount, repeatKey } from "./repeat.ts";
import type { Report } from "./report.ts";
import { TakenRecord } from "./taken-record.ts";

interface OwnerWriting {
  readonly rules: LedgerRules;
  /** The time until which foreign digests are looked up, in Unix milliseconds. */
  readonly foreignUntilMs: number;
  readonly report: Report;
  /** True if the store is a copy: the report says what would be done. */
  readonly isDry: boolean;
  /** Called after each row. */
  readonly onRow: () => void;
}

interface OwnerWork extends OwnerWriting {
  readonly record: TakenRecord;
  /** See `PlannedOwners`. */
  readonly wholeOf: string | null;
}

/** Throws the store's faults. A repeat goes on where it stopped. */
export async function writeOwners(
  world: ActingWorld,
  { accounts, keys, wholeOf }: PlannedOwners,
  writing: OwnerWriting,
): Promise<void> {
  const record = await TakenRecord.load(world.store);
  const work: OwnerWork = { ...writing, record, wholeOf };
  if (keys.length > 0) await allowForeign(world, keys, writing.foreignUntilMs);
  const names = new AccountNames(world.store, accounts);
  /** Accounts here by the ids that the import gives them. */
  const homes = new Map<string, Account>();
  const byAccount = Map.groupBy(keys, ({ key }) => key.accountId);
  for (const planned of accounts) {
    const { id } = planned.account;
    const found = await findAccount(world, id, byAccount.get(id) ?? []);
    homes.set(id, await writeAccount(world, { planned, found }, names, work));
    writing.onRow();
  }
  for (const planned of keys) {
    await writeKey(world, planned, homes, work);
    writing.onRow();
  }
  const ended = wholeOf === null ? [] : await endMissing(world, record.listMissing(wholeOf));
  for (const item of ended)
    writing.report.addChange({ item, outcome: "narrowed", words: "it is gone there, so it is ended here" });
  await record.save();
}

/** Before the first key, so that a running gateway looks them up. Never shortens the time of an earlier import. */
async function allowForeign(
  { store }: ActingWorld,
  keys: readonly PlannedKey[],
  untilMs: number,
): Promise<void> {
  const wanted = keys.some(({ foreign }) => foreign.length > 0) ? untilMs : 0;
  await store.changeSetting(FOREIGN_SECRETS, (value) =>
    String(Math.max(wanted, readForeignUntil(value) ?? 0)),
  );
}

/**
 * Returns the account with the id. An account of the same name may be another's, with limits of its own. Imports of 1.2
 * and before took it all the same: the keys that they put in it tell.
 */
async function findAccount(
  { store }: Pick<ActingWorld, "store">,
  id: string,
  keys: readonly PlannedKey[],
): Promise<Account | null> {
  const own = await store.account(id);
  if (own !== null) return isUndoneAccount(own) ? findAccount({ store }, deriveNext(id), keys) : own;
  for (const { key } of keys) {
    const earlier = await findKey(store, key.id);
    if (earlier !== null) return store.account(earlier.accountId);
  }
  return null;
}

/** Returns the id of an account that isn't here: the planned one, unless an import of it was taken back. */
async function chooseAccountId(store: ActingWorld["store"], id: string): Promise<string> {
  return (await store.account(id)) === null ? id : chooseAccountId(store, deriveNext(id));
}

interface WrittenAccount {
  readonly planned: PlannedAccount;
  readonly found: Account | null;
}

async function writeAccount(
  world: ActingWorld,
  { planned, found }: WrittenAccount,
  names: AccountNames,
  work: OwnerWork,
): Promise<Account> {
  const { rules, report, record, wholeOf: of } = work;
  const { id: plannedId } = planned.account;
  const account = found ?? (await addAccount(world, planned, names, work));
  if (found !== null) {
    const words = await repeatAccount(world, found, planned, { rules, before: record.find(plannedId) });
    reportFound(report, `account ${found.name}`, { owner: found, planned, words });
  }
  const spent = Object.fromEntries(planned.spent);
  record.keep(plannedId, {
    kind: "account",
    id: account.id,
    of,
    spent,
    balanceNanoUsd: planned.topUpNanoUsd,
  });
  return account;
}

async function addAccount(
  world: ActingWorld,
  planned: PlannedAccount,
  names: AccountNames,
  { rules: { quota }, report, isDry }: OwnerWork,
): Promise<Account> {
  const { spent, topUpNanoUsd } = planned;
  const id = await chooseAccountId(world.store, planned.account.id);
  const account = { ...planned.account, id, name: await names.choose(planned) };
  const owner = { owner: id, accountId: id, budgets: account.budgets };
  const opening = openBudgets(account, owner, spent, { quota, nowMs: world.clock.nowMs() });
  await world.changes.addAccount(account, opening);
  const stored = await world.store.account(id);
  if (stored !== null) report.made.push({ kind: "account", id, digest: digestAccount(stored) });
  reportAdded({ report, isDry, item: `account ${account.name}`, words: `as ${id}` }, planned);
  if (topUpNanoUsd > 0)
    await openBalance(world, account, { order: `import-${id}`, nanoUsd: topUpNanoUsd }, report);
  return account;
}

interface FoundOwner {
  readonly owner: Pick<GatewayKey | Account, "id" | "isPaused">;
  readonly planned: Pick<PlannedKey, "pausedFor">;
  /** The changes of this import. */
  readonly words: readonly string[];
}

/** One that an earlier import has paused asks for a decision until somebody has resumed it. */
function reportFound(report: Report, item: string, { owner, planned, words }: FoundOwner): void {
  const here = `already here as ${owner.id}`;
  const { pausedFor } = planned;
  if (words.length > 0)
    report.addChange({ item, outcome: "narrowed", words: `${here}: ${words.join("; ")}` });
  else if (owner.isPaused && pausedFor.length > 0)
    report.pause(null, item, `${here}, paused: ${pausedFor.join("; ")}`);
  else report.take(null, item, `${here}, left as it is`);
}

/** Returns the key with the id, or the one that followed it after an import was taken back. */
async function findKey(store: ActingWorld["store"], id: string): Promise<GatewayKey | null> {
  const own = await store.key(id);
  return own !== null && isUndoneKey(own) ? findKey(store, deriveNext(id)) : own;
}

async function chooseKeyId(store: ActingWorld["store"], id: string): Promise<string> {
  return (await store.key(id)) === null ? id : chooseKeyId(store, deriveNext(id));
}

async function writeKey(
  world: ActingWorld,
  planned: PlannedKey,
  homes: ReadonlyMap<string, Account>,
  work: OwnerWork,
): Promise<void> {
  const { key } = planned;
  const { rules, report, record, wholeOf: of } = work;
  const earlier = await findKey(world.store, key.id);
  let id: string | null = earlier?.id ?? null;
  if (earlier === null) id = await addKey(world, planned, homes, work);
  else {
    const words = await repeatKey(world, earlier, planned, { rules, before: record.find(key.id) });
    reportFound(report, `key ${key.name}`, { owner: earlier, planned, words });
  }
  if (id !== null)
    record.keep(key.id, { kind: "key", id, of, spent: Object.fromEntries(planned.spent), balanceNanoUsd: 0 });
}

/** Returns the key's id, or null if it couldn't be added. */
async function addKey(
  world: ActingWorld,
  planned: PlannedKey,
  homes: ReadonlyMap<string, Account>,
  { rules: { quota }, report, isDry }: OwnerWork,
): Promise<string | null> {
  const { store, changes, clock, random, pepper } = world;
  const { key, spent, secret, foreign } = planned;
  const item = `key ${key.name}`;
  const home = homes.get(key.accountId) ?? (await store.account(key.accountId));
  const digest = digestSecret(secret ?? mintSecret(random), pepper);
  const isTaken = secret !== null && (await store.keyByDigest(digest)) !== null;
  if (home === null || isTaken) {
    report.leave(null, item, home === null ? "its account isn't here" : "another key has its secret");
    return null;
  }
  const id = await chooseKeyId(store, key.id);
  const owner = { owner: id, accountId: home.id, budgets: key.budgets };
  const opening = openBudgets(home, owner, spent, { quota, nowMs: clock.nowMs() });
  const notes = noteReasons(planned);
  await changes.addKey({ ...key, notes, id, accountId: home.id }, digest, { secrets: foreign, opening });
  const stored = await store.key(id);
  if (stored !== null) report.made.push({ kind: "key", id, digest: digestKey(stored) });
  reportAdded({ report, isDry, item, words: `as ${id} in ${home.name}` }, planned);
  return id;
}

/** The console's list of paused keys shows the first line. */
function noteReasons({ key: { notes }, pausedFor }: PlannedKey): string | null {
  if (pausedFor.length === 0) return notes;
  const lines = [`Paused by the import: ${pausedFor.join("; ")}`, ...(notes === null ? [] : [notes])];
  return lines.join("\n").slice(0, KEY_FIELDS.notes.charactersMax);
}

interface Addition {
  readonly report: Report;
  readonly isDry: boolean;
  readonly item: string;
  readonly words: string;
}

function reportAdded(
  { report, isDry, item, words }: Addition,
  { pausedFor, isBlocked }: Pick<PlannedKey, "pausedFor" | "isBlocked">,
): void {
  const added = `${isDry ? "would be added" : "added"} ${words}`;
  if (pausedFor.length === 0)
    report.addChange({
      item,
      outcome: "taken",
      words: isBlocked ? `${added}, paused as it is there` : added,
    });
  else report.addChange({ item, outcome: "paused", words: `${added}, paused: ${pausedFor.join("; ")}` });
}

interface WrittenOwner extends Pick<OwnerState, "owner" | "accountId"> {
  readonly budgets: GatewayKey["budgets"];
}

/** Returns the owner's state with its budgets' running windows as they were elsewhere. Null without budgets. */
function openBudgets(
  account: Pick<Account, "timeZone">,
  { budgets, ...owner }: WrittenOwner,
  spent: Spending,
  { quota, nowMs }: { readonly quota: QuotaRules; readonly nowMs: number },
): OwnerState | null {
  if (budgets === "default" || budgets.length === 0) return null;
  const rules = makeWindowRules(quota, account);
  const uses = budgets.map((budget) => {
    const name = nameBudget(budget);
    const use = openUse(name, computeWindow(budget.per, nowMs, rules), rules, []);
    return { ...use, spentNanoUsd: spent.get(name) ?? 0 };
  });
  return { ...owner, taken: null, minute: null, budgets: uses };
}
