// Keys' allowances as shown to their holders and the operator.

import type { Rows } from "../core/decision.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import { resolveAllowance } from "../core/keys/key-limits.ts";
import { OwnerPage } from "../core/pages.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import { ALLOWANCE_BY_QUOTA, type Counts, type LedgerRules, makeReads, readStanding } from "./allowance.ts";
import { computeDay } from "./limits/day.ts";

interface AllowanceParts {
  readonly store: Pick<Store, "read" | "clockAheadMs">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rules: () => LedgerRules;
}

/** The allowance as shown to the key's holder. `limit` is null if unlimited. */
export interface Allowance {
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resetsAtMs: number;
  /** The time of the throttle's next slot. Null while the allowance lasts, while a balance pays, or without a throttle. */
  readonly nextSlotAtMs: number | null;
  /** True while the account has a balance that pays for what isn't free: nothing waits for a slot then. */
  readonly paidByBalance: boolean;
}

export async function findAllowance(parts: AllowanceParts, key: GatewayKey): Promise<Allowance> {
  const found = await findAllowances(parts, [key]);
  return found.get(key.id) ?? computeAllowance(key, null, parts.rules(), parts.clock.nowMs());
}

/** One lookup for all keys of an account. */
export async function findAllowances(
  { store, clock, rules }: AllowanceParts,
  keys: readonly GatewayKey[],
): Promise<ReadonlyMap<string, Allowance>> {
  const nowMs = clock.nowMs();
  const current = rules();
  const found = new Map<string, Allowance>();
  for (const ofAccount of Map.groupBy(keys, ({ accountId }) => accountId).values()) {
    const [read, ...others] = ofAccount.map((key) => makeReads(key, current, nowMs, store.clockAheadMs()));
    const owners = [...new Set([read, ...others].flatMap((one) => one?.owners ?? []))];
    const rows = read ? await store.read({ ...read, keyId: null, owners }) : null;
    for (const key of ofAccount) found.set(key.id, computeAllowance(key, rows, current, nowMs));
  }
  return found;
}

const NOTHING_COUNTED: Counts = { page: (accountId, owner) => new OwnerPage(accountId, owner) };

function computeAllowance(
  key: GatewayKey,
  rows: Rows | null,
  { quota, billing }: LedgerRules,
  nowMs: number,
): Allowance {
  const resetsAtMs = computeDay(nowMs, quota).endMs;
  const stored = rows?.accounts.get(key.accountId)?.row;
  const isFunded = (stored?.balanceNanoUsd ?? 0) > 0;
  const unslotted = { used: 0, resetsAtMs, nextSlotAtMs: null };
  if (billing.charge === "always") return { ...unslotted, limit: 0, remaining: 0, paidByBalance: isFunded };
  const account = stored ?? ALLOWANCE_BY_QUOTA;
  const limit = resolveAllowance(key, account, quota);
  if (limit === null) return { ...unslotted, limit, remaining: null, paidByBalance: false };
  const standing = readStanding(rows ?? NOTHING_COUNTED, key, account, limit, quota, nowMs);
  const { used } = standing.counted;
  const paidByBalance = used >= limit && isFunded;
  const throttled = used >= limit && !isFunded && standing.slotAtMs !== null;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetsAtMs: standing.resetsAtMs,
    nextSlotAtMs: throttled ? Math.max(nowMs, standing.slotAtMs) : null,
    paidByBalance,
  };
}
