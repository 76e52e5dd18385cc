// Writes accounts and keys that an import found. Those that are there already stay as they are, so it can be repeated.
import type { ActingWorld } from "../admin/world.ts";
import { FOREIGN_SECRETS, readForeignUntil } from "../core/keys/foreign-secret.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import { nameBudget } from "../core/limits/budget.ts";
import type { OwnerState } from "../core/rows.ts";
import type { QuotaRules } from "../core/settings.ts";
import { digestSecret, mintSecret } from "../keys/secret.ts";
import { openUse } from "../ledger/limits/budget-use.ts";
import { computeWindow, makeWindowRules } from "../ledger/limits/window.ts";
import { AccountNames } from "./account-names.ts";
import { openBalance } from "./balances.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners, Spending } from "./plan.ts";
import type { Report } from "./report.ts";

interface Writing {
  readonly quota: QuotaRules;
  /** The time until which foreign digests are looked up, in Unix milliseconds. */
  readonly foreignUntilMs: number;
  readonly report: Report;
  /** True if the store is a copy: the report says what would be done. */
  readonly isDry: boolean;
  /** Called after each row. */
  readonly onRow: () => void;
}

/** Throws the store's faults. A repeat goes on where it stopped. */
export async function writeOwners(
  world: ActingWorld,
  { accounts, keys }: PlannedOwners,
  writing: Writing,
): Promise<void> {
  if (keys.length > 0) await allowForeign(world, keys, writing.foreignUntilMs);
  const names = new AccountNames(world.store, accounts);
  /** Accounts here by the ids that the import gives them. */
  const homes = new Map<string, Account>();
  const byAccount = Map.groupBy(keys, ({ key }) => key.accountId);
  for (const planned of accounts) {
    const { id } = planned.account;
    const found = await findAccount(world, id, byAccount.get(id) ?? []);
    homes.set(id, await writeAccount(world, { planned, found }, names, writing));
    writing.onRow();
  }
  for (const planned of keys) {
    await writeKey(world, planned, homes, writing);
    writing.onRow();
  }
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
  if (own !== null) return own;
  for (const { key } of keys) {
    const earlier = await store.key(key.id);
    if (earlier !== null) return store.account(earlier.accountId);
  }
  return null;
}

interface AccountParts {
  readonly planned: PlannedAccount;
  readonly found: Account | null;
}

async function writeAccount(
  world: ActingWorld,
  { planned, found }: AccountParts,
  names: AccountNames,
  writing: Writing,
): Promise<Account> {
  const { spent, topUpNanoUsd } = planned;
  const { quota, report, isDry } = writing;
  const account = found ?? { ...planned.account, name: await names.choose(planned) };
  const item = `account ${account.name}`;
  if (found === null) {
    const opening = openBudgets(
      account,
      { owner: account.id, accountId: account.id, budgets: account.budgets },
      spent,
      { quota, nowMs: world.clock.nowMs() },
    );
    await world.changes.addAccount(account, opening);
    reportAdded({ report, isDry, item, words: `as ${account.id}` }, planned);
  } else report.take(null, item, `already here as ${found.id}, left as it is`);
  if (topUpNanoUsd > 0)
    await openBalance(
      world,
      account,
      { order: `import-${planned.account.id}`, nanoUsd: topUpNanoUsd },
      report,
    );
  return account;
}

async function writeKey(
  world: ActingWorld,
  planned: PlannedKey,
  homes: ReadonlyMap<string, Account>,
  writing: Writing,
): Promise<void> {
  const { store, changes, clock, random, pepper } = world;
  const { key, spent, secret, foreign } = planned;
  const { quota, report, isDry } = writing;
  const item = `key ${key.name}`;
  const earlier = await store.key(key.id);
  if (earlier !== null) return report.take(null, item, `already here as ${key.id}, left as it is`);
  const home = homes.get(key.accountId) ?? (await store.account(key.accountId));
  if (home === null) return report.leave(null, item, "its account isn't here");
  const digest = digestSecret(secret ?? mintSecret(random), pepper);
  if (secret !== null && (await store.keyByDigest(digest)) !== null)
    return report.leave(null, item, "another key has its secret");
  const owner = { owner: key.id, accountId: home.id, budgets: key.budgets };
  const opening = openBudgets(home, owner, spent, { quota, nowMs: clock.nowMs() });
  await changes.addKey({ ...key, accountId: home.id }, digest, { secrets: foreign, opening });
  reportAdded({ report, isDry, item, words: `as ${key.id} in ${home.name}` }, planned);
}

interface Addition {
  readonly report: Report;
  readonly isDry: boolean;
  readonly item: string;
  readonly words: string;
}

function reportAdded({ report, isDry, item, words }: Addition, { pausedFor }: Pick<PlannedKey, "pausedFor">) {
  const added = `${isDry ? "would be added" : "added"} ${words}`;
  if (pausedFor.length === 0) report.take(null, item, added);
  else report.pause(null, item, `${added}, paused: ${pausedFor.join("; ")}`);
}

interface Owner extends Pick<OwnerState, "owner" | "accountId"> {
  readonly budgets: GatewayKey["budgets"];
}

/** Returns the owner's state with its budgets' running windows as they were elsewhere. Null without budgets. */
function openBudgets(
  account: Pick<Account, "timeZone">,
  { budgets, ...owner }: Owner,
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
