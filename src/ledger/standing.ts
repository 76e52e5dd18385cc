// Keys' allowances as shown to their holders and the operator.

import type { Rows } from "../core/decision.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import { resolveAllowance } from "../core/limits/key-limits.ts";
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
  /** The time of the throttle's next slot. Null while the allowance lasts, or without a throttle. */
  readonly nextSlotAtMs: number | null;
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
    const counted = current.billing.charge === "always" ? [] : ofAccount;
    const [read, ...others] = counted.map((key) => makeReads(key, current, nowMs, store.clockAheadMs()));
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
  if (billing.charge === "always") return { limit: 0, used: 0, remaining: 0, resetsAtMs, nextSlotAtMs: null };
  const account = rows?.accounts.get(key.accountId)?.row ?? ALLOWANCE_BY_QUOTA;
  const limit = resolveAllowance(key, account, quota);
  if (limit === null) return { limit, used: 0, remaining: null, resetsAtMs, nextSlotAtMs: null };
  const standing = readStanding(rows ?? NOTHING_COUNTED, key, account, limit, quota, nowMs);
  const { used } = standing.counted;
  const throttled = used >= limit && standing.slotAtMs !== null;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetsAtMs: standing.resetsAtMs,
    nextSlotAtMs: throttled ? Math.max(nowMs, standing.slotAtMs) : null,
  };
}
