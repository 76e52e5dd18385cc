// Writes accounts and keys that an import found. Those that are there already stay as they are, so it can be repeated.
import { topUpAccount } from "../admin/topups.ts";
import type { ActingWorld } from "../admin/world.ts";
import { nameBudget } from "../core/budget.ts";
import { Fault } from "../core/fault.ts";
import { FOREIGN_SECRETS, readForeignUntil } from "../core/foreign-secret.ts";
import type { Account, GatewayKey } from "../core/key.ts";
import { toUsd } from "../core/money.ts";
import type { OwnerState } from "../core/rows.ts";
import type { QuotaRules } from "../core/settings.ts";
import { digestSecret, mintSecret } from "../keys/secret.ts";
import { openUse } from "../ledger/budget-use.ts";
import { computeWindow, makeWindowRules } from "../ledger/window.ts";
import type { PlannedAccount, PlannedKey, PlannedOwners, Spent } from "./plan.ts";
import type { Report } from "./report.ts";

interface Writing {
  readonly quota: QuotaRules;
  /** The time until which foreign digests are looked up, in Unix milliseconds. */
  readonly foreignUntilMs: number;
  readonly report: Report;
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
  /** Accounts here by the ids that the import gave them. */
  const homes = new Map<string, Account>();
  for (const planned of accounts) {
    const account = await writeAccount(world, planned, writing);
    if (account !== null) homes.set(planned.account.id, account);
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

/** Returns the account, or null if several have its name. */
async function writeAccount(
  world: ActingWorld,
  { account, spent, topUpNanoUsd }: PlannedAccount,
  { quota, report }: Writing,
): Promise<Account | null> {
  const found = await findAccount(world, account);
  const item = `account ${account.name}`;
  if (found === "several") {
    report.leave(null, item, "several accounts have this name");
    return null;
  }
  if (found === null) {
    const opening = openBudgets(
      account,
      { owner: account.id, accountId: account.id, budgets: account.budgets },
      spent,
      {
        quota,
        nowMs: world.clock.nowMs(),
      },
    );
    await world.changes.addAccount(account, opening);
    report.take(null, item, `added as ${account.id}`);
  } else report.take(null, item, `already here as ${found.id}, left as it is`);
  const home = found ?? account;
  if (topUpNanoUsd > 0) await openBalance(world, home, { id: account.id, topUpNanoUsd }, report);
  return home;
}

/** Tops up once: a later import finds that the balance has been used, or is another by now. */
async function openBalance(
  world: ActingWorld,
  home: Account,
  { id, topUpNanoUsd }: Pick<PlannedAccount, "topUpNanoUsd"> & Pick<Account, "id">,
  report: Report,
): Promise<void> {
  const body = { amount_usd: toUsd(topUpNanoUsd), note: "balance at the other gateway" };
  try {
    await topUpAccount(world, home.id, body, `import-${id}`);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "idempotency_mismatch") throw error;
    report.leave(null, `balance of ${home.name}`, "an earlier import has added the balance of that time");
  }
}

/** Returns the account that has the id, or else the name. */
export async function findAccount(
  { store }: Pick<ActingWorld, "store">,
  { id, name }: Pick<Account, "id" | "name">,
): Promise<Account | "several" | null> {
  const own = await store.account(id);
  if (own !== null) return own;
  const [named = null, another] = await store.accountsNamed(name);
  return another === undefined ? named : "several";
}

async function writeKey(
  world: ActingWorld,
  { key, spent, secret, foreign }: PlannedKey,
  homes: ReadonlyMap<string, Account>,
  { quota, report }: Writing,
): Promise<void> {
  const { store, changes, clock, random, pepper } = world;
  const item = `key ${key.name}`;
  const earlier = await store.key(key.id);
  if (earlier !== null) return report.take(null, item, `already here as ${key.id}, left as it is`);
  const home = homes.get(key.accountId) ?? (await store.account(key.accountId));
  if (home === null) return report.leave(null, item, "its account isn't here");
  const digest = digestSecret(secret ?? mintSecret(random), pepper);
  if (secret !== null && (await store.keyByDigest(digest)) !== null)
    return report.leave(null, item, "another key has its secret");
  const moved: GatewayKey = { ...key, accountId: home.id };
  const owner = { owner: key.id, accountId: home.id, budgets: key.budgets };
  const opening = openBudgets(home, owner, spent, { quota, nowMs: clock.nowMs() });
  await changes.addKey(moved, digest, { secrets: foreign, opening });
  report.take(null, item, `added as ${key.id} in ${home.name}`);
}

interface Owner extends Pick<OwnerState, "owner" | "accountId"> {
  readonly budgets: GatewayKey["budgets"];
}

/** Returns the owner's state with its budgets' running windows as they were elsewhere. Null without budgets. */
function openBudgets(
  account: Pick<Account, "timeZone">,
  { budgets, ...owner }: Owner,
  spent: Spent,
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
