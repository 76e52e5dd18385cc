// The limits of a key, a member or an account with their use, as holders and operators see them.

import type { Rows } from "../../core/decision.ts";
import type { Reads } from "../../core/demand.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { SPEND_LIMIT, showBudgetModels } from "../../core/limits/budget.ts";
import type { LimitState, Minute } from "../../core/limits/limit.ts";
import { COUNTED, MINUTE_LIMITS } from "../../core/limits/limit-table.ts";
import { nameModelLimit } from "../../core/limits/model-limit.ts";
import type { Opening } from "../../core/limits/opening.ts";
import { showModels } from "../../core/models/alias-entry.ts";
import { toUsd } from "../../core/money/money.ts";
import { LIMIT_RULES } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { type LedgerRules, makeReads } from "../allowance.ts";
import { Books } from "../books.ts";
import { type LimitOwner, listLimitOwners } from "./limit-owners.ts";
import { isLacking, type RunningBudget, type RunningLimits, readLimits } from "./limits.ts";
import { findEmptyMs, findModelCount, sumCounts } from "./minute.ts";

interface LimitStateParts {
  readonly store: Pick<Store, "read" | "readAccounts" | "clockAheadMs">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rules: () => LedgerRules;
}

/**
 * Returns the limits that are set for the key and its account, the key's first. If the account's row is given and none is
 * set, nothing is read.
 */
export async function findKeyLimits(
  parts: LimitStateParts,
  key: GatewayKey,
  account: Account | null = null,
): Promise<readonly LimitState[]> {
  if (account !== null && isUnlimited(parts, key, account)) return [];
  return findLimits(parts, key.accountId, { key, memberId: key.memberId });
}

/** False for a person's key: the person's own limits aren't known before they are read. */
function isUnlimited({ clock, rules }: LimitStateParts, key: GatewayKey, account: Account): boolean {
  if (key.memberId !== null) return false;
  const { ownerLimits = LIMIT_RULES } = rules();
  return listLimitOwners({ key, member: null, account, nowMs: clock.nowMs() }, ownerLimits).length === 0;
}

/** Returns the limits that are set for the account. */
export function findAccountLimits(
  parts: LimitStateParts,
  { id }: Pick<Account, "id">,
): Promise<readonly LimitState[]> {
  return findLimits(parts, id, { key: null, memberId: null });
}

/** Returns the limits of the member in the account, without the account's own. */
export async function findMemberLimits(
  parts: LimitStateParts,
  { accountId, memberId }: { readonly accountId: string; readonly memberId: string },
): Promise<readonly LimitState[]> {
  const limits = await findLimits(parts, accountId, { key: null, memberId });
  return limits.filter(({ scope }) => scope === "member");
}

/** Returns the limits that are set for each of the accounts, which the store reads together. */
export async function findLimitsByAccount(
  parts: LimitStateParts,
  accounts: readonly Pick<Account, "id">[],
): Promise<ReadonlyMap<string, readonly LimitState[]>> {
  if (accounts.length === 0) return new Map();
  const ids = accounts.map(({ id }) => id);
  const described = await describeRunning(
    parts,
    (openings) => parts.store.readAccounts(ids, openings),
    (books, moment) =>
      ids.map((id) => {
        const account = books.findAccount(id);
        return account && readLimits(books, null, account, moment, null);
      }),
  );
  return new Map(ids.map((id, at) => [id, described[at] ?? []]));
}

async function findLimits(
  parts: LimitStateParts,
  accountId: string,
  { key, memberId }: { readonly key: GatewayKey | null; readonly memberId: string | null },
): Promise<readonly LimitState[]> {
  const { store, clock, rules } = parts;
  const owner = { id: key?.id ?? accountId, accountId, memberId };
  const reads: Reads = {
    ...makeReads(owner, rules(), clock.nowMs(), store.clockAheadMs()),
    keyId: key?.id ?? null,
  };
  const [limits = []] = await describeRunning(
    parts,
    (openings) => store.read({ ...reads, days: [], openings }),
    (books, moment) => {
      const account = books.findAccount(accountId);
      const member = memberId === null ? null : books.member(accountId, memberId);
      return [account && readLimits(books, key, account, moment, member)];
    },
  );
  return limits;
}

/** Limits with their counts, or the sums that these lack. Null without an account. */
type FoundLimits = ReturnType<typeof readLimits> | null;

/** Describes limits as of the time of the rows, which are read again if budgets among them are new. */
async function describeRunning(
  { clock, rules }: LimitStateParts,
  read: (openings: readonly Opening[]) => Promise<Rows>,
  listRunning: (books: Books, moment: Parameters<typeof readLimits>[3]) => readonly FoundLimits[],
): Promise<readonly (readonly LimitState[])[]> {
  const { quota, ownerLimits: limits = LIMIT_RULES } = rules();
  let nowMs = clock.nowMs();
  const list = async (openings: readonly Opening[]) => {
    const rows = await read(openings);
    nowMs = rows.nowMs ?? nowMs;
    return listRunning(new Books(rows), { nowMs, quota, limits });
  };
  const first = await list([]);
  const lacking = first.flatMap((one) => (one !== null && isLacking(one) ? one : []));
  const found = lacking.length > 0 ? await list(lacking) : first;
  return found.map((one) => (one === null || isLacking(one) ? [] : describeLimits(one, nowMs)));
}

function describeLimits({ owners }: RunningLimits, nowMs: number): readonly LimitState[] {
  return owners.flatMap((one) => [
    ...(one.minute ? describeMinute(one.owner, one.minute, nowMs) : []),
    ...(one.minute ? describeModels(one.owner, one.minute, nowMs) : []),
    ...one.budgets.map(describeBudget),
  ]);
}

function describeMinute(owner: LimitOwner, minute: Minute, nowMs: number): readonly LimitState[] {
  return MINUTE_LIMITS.flatMap(({ name, property, counts }) => {
    const limit = owner[property];
    if (limit === null) return [];
    const counted = minute[counts];
    // Running requests are only a number, which goes down as they end, at no known time.
    if (typeof counted === "number") return [describe(owner, name, limit, counted, null)];
    return [describe(owner, name, limit, sumCounts(counted), findEmptyMs(counted, minute, nowMs))];
  });
}

function describeModels(owner: LimitOwner, minute: Minute, nowMs: number): readonly LimitState[] {
  return (owner.modelLimits ?? []).flatMap((limit) => {
    const count = findModelCount(minute, nameModelLimit(limit));
    const models = showModels(limit.models);
    return (["requests", "tokens"] as const).flatMap((counts) => {
      const { name } = COUNTED[counts];
      const most = counts === "requests" ? limit.requestsPerMinute : limit.tokensPerMinute;
      if (most === null) return [];
      const emptyMs = findEmptyMs(count[counts], minute, nowMs);
      return [{ ...describe(owner, name, most, sumCounts(count[counts]), emptyMs), models }];
    });
  });
}

function describe(
  { scope }: LimitOwner,
  kind: LimitState["kind"],
  limit: number,
  used: number,
  resetsAtMs: number | null,
): LimitState {
  return { scope, kind, limit, used, reserved: 0, remaining: Math.max(0, limit - used), resetsAtMs };
}

function describeBudget({ owner, name, budget, use, limitNanoUsd }: RunningBudget): LimitState {
  const { spentNanoUsd, heldNanoUsd, endMs } = use;
  const models = name === SPEND_LIMIT ? null : showBudgetModels(name);
  return {
    scope: owner.scope,
    kind: "budget",
    per: budget.per,
    ...(models ? { models } : {}),
    limit: toUsd(limitNanoUsd),
    used: toUsd(spentNanoUsd),
    reserved: toUsd(heldNanoUsd),
    remaining: toUsd(Math.max(0, limitNanoUsd - spentNanoUsd)),
    resetsAtMs: endMs,
  };
}
