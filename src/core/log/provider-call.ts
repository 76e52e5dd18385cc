// Calls to providers as they are laid beside a provider's invoice: one row an attempt, and sums by day.

import { SAMPLING_KEY } from "../keys/key.ts";
import { HOOKS_KEY } from "../models/hook.ts";
import type { NanoUsd } from "../money/money.ts";
import { sumBill } from "../money/price.ts";
import { type Amounts, NO_AMOUNTS, UNITS, type Unit } from "../money/units.ts";
import type { Page } from "../world/page.ts";
import type { RequestRecord, UsageSource } from "./record.ts";
import {
  type AttemptOutcome,
  type ClaimedUsage,
  expandClaim,
  readTrace,
  type Trace,
  type TracedAttempt,
} from "./trace.ts";

/**
 * `request`: a client's. `hedge`: another attempt was faster. `failed`: a client's, and the call failed. Calls that no
 * client caused are of the kind of their cause: a test of a credential, a sample, a hook.
 */
export const CALL_KINDS = ["request", "hedge", "failed", "probe", "sample", "hook"] as const;
type CallKind = (typeof CALL_KINDS)[number];

/** One attempt. It may have taken several calls. */
export interface ProviderCall {
  /** Empty if it concerns no account. */
  readonly accountId: string;
  /** Unique within the account: the id of the completion and the attempt's number, if a request made it. */
  readonly id: string;
  /** The time at which its request came. */
  readonly atMs: number;
  readonly kind: CallKind;
  readonly model: string;
  /** The credential by its last characters or its place. Empty if the server needs none. */
  readonly credential: string;
  /** The provider's own ids of its calls, as far as it gave any. */
  readonly upstreamRequestIds: readonly string[];
  /** Null if no request made it. */
  readonly completionId: string | null;
  readonly outcome: AttemptOutcome;
  readonly faultCode: string | null;
  readonly calls: number;
  /** The usage that the provider reported last. Null if it reported none. */
  readonly claimed: ClaimedUsage | null;
  /** The usage that was counted. */
  readonly charged: Amounts;
  /** The source of what was counted. */
  readonly usageSource: UsageSource;
  /** The card's price of what was counted, without markup. */
  readonly costNanoUsd: NanoUsd;
}

/** The calls of a UTC day, as providers' invoices are cut. */
export interface CallSum extends Pick<ProviderCall, "accountId" | "model" | "credential" | "kind" | "calls"> {
  /** Its start, in Unix milliseconds. */
  readonly dayMs: number;
  readonly amounts: Amounts;
  readonly costNanoUsd: NanoUsd;
  /** The part of the cost that rests on estimates. */
  readonly estimatedNanoUsd: NanoUsd;
  /** The costs that the provider reported. */
  readonly reportedNanoUsd: NanoUsd;
}

const DAY_MS = 86_400_000;

function findCallDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

/** The fields of a request's row that its calls are read from. */
export type CalledRecord = Pick<
  RequestRecord,
  "accountId" | "id" | "keyId" | "atMs" | "trace" | "amounts" | "costNanoUsd" | "usageSource"
>;

/** Returns the attempts of a request that reached a provider. None of a row of a version that didn't keep them. */
export function listCalls(record: CalledRecord): readonly ProviderCall[] {
  const trace = readTrace(record.trace);
  if (trace === null) return [];
  const calls: ProviderCall[] = [];
  for (const [at, attempt] of trace.attempts.entries()) {
    const { calls: count = 0 } = attempt;
    if (count > 0) calls.push(makeCall(record, trace, attempt, at));
  }
  return calls;
}

function makeCall(record: CalledRecord, trace: Trace, attempt: TracedAttempt, at: number): ProviderCall {
  const { accountId, id, keyId, atMs } = record;
  const { model, outcome, faultCode, calls = 1, failure, claimed } = attempt;
  const isCounted = trace.counted === at;
  const counted = isCounted ? findCounted(record, trace) : UNCOUNTED;
  const isAsCharged = isCounted && record.usageSource === "provider";
  return {
    accountId,
    id: `${id} ${at + 1}`,
    atMs,
    model,
    outcome,
    faultCode,
    calls,
    ...counted,
    kind: findKind(outcome, keyId),
    credential: nameCredential(attempt) ?? "",
    upstreamRequestIds: attempt.requestIds ?? (failure?.upstreamRequestId ? [failure.upstreamRequestId] : []),
    completionId: id,
    claimed: claimed ? expandClaim({ ...claimed }) : isAsCharged ? record.amounts : null,
  };
}

const UNCOUNTED: CallCharge = { charged: NO_AMOUNTS, usageSource: "none", costNanoUsd: 0 };

function findCounted(
  { amounts, usageSource, costNanoUsd }: CalledRecord,
  { markup, bill }: Trace,
): CallCharge {
  return { charged: amounts, usageSource, costNanoUsd: markup === 1 ? costNanoUsd : sumBill(bill, 1) };
}

function findKind(outcome: AttemptOutcome, keyId: string): CallKind {
  if (keyId === HOOKS_KEY) return "hook";
  if (keyId === SAMPLING_KEY) return "sample";
  if (outcome === "outrun") return "hedge";
  return outcome === "failed" ? "failed" : "request";
}

/** Names a credential by its last characters, or by its place in the provider's list if it is too short to show any. */
export function nameCredential({
  last4,
  position,
}: Pick<TracedAttempt, "last4" | "position">): string | null {
  if (last4 !== null) return `…${last4}`;
  return position ? `key ${position}` : null;
}

type CallCharge = Pick<ProviderCall, "charged" | "costNanoUsd" | "usageSource">;

/** A sum that calls are added to in place. */
type CallTotal = {
  -readonly [Field in keyof CallSum]: Field extends "amounts" ? Record<Unit, number> : CallSum[Field];
};

const NO_TOTAL = { calls: 0, costNanoUsd: 0, estimatedNanoUsd: 0, reportedNanoUsd: 0 };

/** Sums of calls by day, model, credential and kind. Those of one batch are few, so they are looked through one by one. */
export class CallTotals {
  readonly sums: CallTotal[] = [];

  add(call: ProviderCall): void {
    const { accountId, atMs, model, credential, kind } = call;
    addTo(this.#find(accountId, findCallDay(atMs), model, credential, kind), call, call);
  }

  /** Adds the attempts of a request, as `listCalls` lists them, without listing them: every settlement does. */
  addRequest(record: CalledRecord, trace: Trace): void {
    const { accountId, atMs, keyId } = record;
    const dayMs = findCallDay(atMs);
    for (let at = 0; at < trace.attempts.length; at++) {
      const attempt = trace.attempts[at];
      if (!attempt?.calls) continue;
      const kind = findKind(attempt.outcome, keyId);
      const total = this.#find(accountId, dayMs, attempt.model, nameCredential(attempt) ?? "", kind);
      addTo(total, attempt, trace.counted === at ? findCounted(record, trace) : UNCOUNTED);
    }
  }

  #find(accountId: string, dayMs: number, model: string, credential: string, kind: CallKind): CallTotal {
    for (const one of this.sums) {
      const isSame = one.accountId === accountId && one.model === model && one.credential === credential;
      if (isSame && one.dayMs === dayMs && one.kind === kind) return one;
    }
    const total = { accountId, dayMs, model, credential, kind, ...NO_TOTAL, amounts: { ...NO_AMOUNTS } };
    this.sums.push(total);
    return total;
  }
}

/** A call as it was sent, and what the provider reported of it. */
interface SentCalls {
  readonly calls?: number;
  readonly claimed?: Partial<ClaimedUsage> | null | undefined;
}

function addTo(
  total: CallTotal,
  { calls = 0, claimed }: SentCalls,
  { charged, costNanoUsd, usageSource }: CallCharge,
): void {
  total.calls += calls;
  for (const unit of UNITS) total.amounts[unit] += charged[unit];
  total.costNanoUsd += costNanoUsd;
  total.reportedNanoUsd += claimed?.costNanoUsd ?? 0;
  if (usageSource === "estimate") total.estimatedNanoUsd += costNanoUsd;
}

interface CallQuery {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** Each method is one transaction, as in `Store`. */
export interface ProviderCallStore {
  /** Adds calls that no request makes, and adds them to the sums. Ones that are known already change nothing. */
  add(calls: readonly ProviderCall[]): Promise<void>;
  /** Calls without a request, and those of requests whose rows have been deleted, newest first. */
  kept(query: CallQuery, page: Page): Promise<readonly ProviderCall[]>;
  /** Sums of the days from `fromMs` on. */
  sums(query: CallQuery): Promise<readonly CallSum[]>;
  /** Deletes kept calls older than a time (Unix milliseconds), at most this many. Sums stay. Returns how many. */
  prune(beforeMs: number, rowsMax: number): Promise<number>;
}
