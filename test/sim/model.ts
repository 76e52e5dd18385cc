// The auditor's ledger: decides every demand again by a separate implementation of the rules, and reports differences.
import type { Admission, Answer, Demand, Settlement } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/key.ts";
import { ModelDays } from "./model-days.ts";
import { findAffordable, isCovered } from "./model-money.ts";
import {
  describeAnswer,
  type ModelAccount,
  type ModelHold,
  type ModelPlace,
  type ModelReply,
  type ModelRow,
  type ModelSpend,
  placeWords,
  settledWords,
} from "./model-rows.ts";
import type { BookEvent } from "./node.ts";
import { nextDay, ownDay } from "./own-days.ts";
import type { Scenario } from "./scenario.ts";

const REPLY_KEPT_MS = 86_400_000;
const NOTHING = { charged: 0n, writtenOff: 0n };

/** The books as they should be after all events, and the decisions that differed. */
export class Model {
  readonly accounts = new Map<string, ModelAccount>();
  readonly spends = new Map<string, ModelSpend>();
  readonly days: ModelDays;
  readonly holds = new Map<string, ModelHold>();
  readonly replies = new Map<string, ModelReply>();
  readonly rows = new Map<string, ModelRow>();
  /** The admission of every request so far. */
  readonly admitted = new Map<string, ModelHold>();
  readonly problems: string[] = [];
  readonly #topUps = new Map<string, number>();
  readonly #keys: Map<string, GatewayKey>;
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.days = new ModelDays(scenario);
    this.#keys = new Map(scenario.keys.map((key) => [key.id, key]));
    for (const id of scenario.accounts)
      this.accounts.set(id, { balance: 0n, held: 0n, funded: 0n, writtenOff: 0n, revenue: 0n });
  }

  take(event: BookEvent): void {
    switch (event.kind) {
      case "revoked": {
        const key = this.#keys.get(event.keyId);
        if (key && key.revokedAtMs === null) this.#keys.set(key.id, { ...key, revokedAtMs: event.atMs });
        return;
      }
      case "pruned":
        for (const [id, reply] of this.replies)
          if (reply.state !== "pending" && reply.atMs < event.before.repliesMs) this.replies.delete(id);
        this.days.prune(event.before.metersMs);
        return;
      case "decided":
        this.#decided(event.demand, event.answer, event.node);
    }
  }

  #decided(demand: Demand, answer: Answer, node: string): void {
    const expected = this.#expected(demand, answer, node);
    const given = describeAnswer(answer);
    if (given !== expected) {
      const id = demand.kind === "settle" ? demand.record.id : demand.id;
      this.problems.push(`${demand.kind} ${id}: the books said '${given}', by the rules it is '${expected}'`);
    }
  }

  #expected(demand: Demand, answer: Answer, node: string): string {
    switch (demand.kind) {
      case "admit":
        return this.#admit(demand, answer);
      case "settle":
        return this.#settle(demand, node);
      case "fund": {
        const account = this.#account(demand.accountId);
        const made = this.#topUps.get(`${demand.accountId} ${demand.id}`);
        if (made !== undefined)
          return made === demand.nanoUsd ? `funded to ${account.balance}` : "refused: idempotency_mismatch";
        this.#topUps.set(`${demand.accountId} ${demand.id}`, demand.nanoUsd);
        account.balance += BigInt(demand.nanoUsd);
        account.funded += BigInt(demand.nanoUsd);
        return `funded to ${account.balance}`;
      }
      case "reset":
        return describeAnswer(answer);
    }
  }

  #account(id: string): ModelAccount {
    const account = this.accounts.get(id);
    if (!account) throw new Error(`There is no account ${id}.`);
    return account;
  }

  #spend(keyId: string): ModelSpend {
    const known = this.spends.get(keyId);
    if (known) return known;
    const fresh = { spent: 0n, held: 0n };
    this.spends.set(keyId, fresh);
    return fresh;
  }

  #admit(demand: Admission, answer: Answer): string {
    const key = this.#keys.get(demand.keyId);
    const { nowMs } = demand;
    const isExpired = key?.expiresAtMs !== null && key?.expiresAtMs !== undefined && nowMs >= key.expiresAtMs;
    const unknown = this.holds.get(demand.id);
    if (unknown) this.#undo(demand.id, unknown);
    if (!key || key.revokedAtMs !== null || isExpired) return "refused: invalid_api_key";
    // Other nodes have declared its node dead and resolved it.
    if (this.rows.has(demand.id)) return "refused: store_unavailable";
    const before = this.#answeredBefore(demand, answer);
    if (before !== null) return before;
    const found = this.#place(demand, key);
    if (typeof found === "string") return found;
    this.#hold(demand, found);
    return `granted ${placeWords(found.place)} ${found.nano}`;
  }

  #answeredBefore({ idempotency, nowMs }: Admission, answer: Answer): string | null {
    const reply = idempotency ? this.replies.get(idempotency.replyId) : undefined;
    if (!idempotency || !reply) return null;
    if (reply.state !== "pending" && nowMs - reply.atMs >= REPLY_KEPT_MS) return null;
    if (reply.bodyDigest !== idempotency.bodyDigest) return "refused: idempotency_mismatch";
    if (reply.state === "pending") return `pending ${reply.requestId}`;
    if (reply.state === "unavailable") return "refused: idempotency_unavailable";
    // Replayed answers are compared where they are received.
    return answer.kind === "replayed" ? describeAnswer(answer) : "replayed";
  }

  #place(demand: Admission, key: GatewayKey): { readonly place: ModelPlace; readonly nano: bigint } | string {
    const { quota, billing } = this.#scenario;
    const { nowMs, answers } = demand;
    const isShared = quota.scope === "account" && key.requestsPerDay === "default";
    const owner = isShared ? key.accountId : key.id;
    const today = ownDay(nowMs, quota);
    const day = this.days.meters.has(`${owner} ${nextDay(today)}`) ? nextDay(today) : today;
    const meter = this.days.meter(owner, day);
    const limit = key.requestsPerDay === "default" ? quota.requestsPerDay : key.requestsPerDay;
    const giveBackMax = billing.charge === "always" || limit === null || limit === 0 ? 200 : limit;
    const none = { owner, day, places: 0, slots: 0, taken: null, previous: null, giveBackMax, free: null };
    const payment = () => {
      const nano = findAffordable(
        demand,
        key,
        this.#account(key.accountId),
        this.#spend(key.id),
        this.#scenario,
      );
      return nano === null ? null : { place: { kind: "balance", ...none } as const, nano };
    };
    if (billing.charge === "always") {
      if (!isCovered(demand)) return "refused: model_not_priced";
      return payment() ?? "refused: insufficient_balance";
    }
    if (limit === null) return { place: { kind: "unlimited", ...none }, nano: 0n };
    const previous = this.days.slots.get(owner) ?? null;
    const lastAtMs = Math.max(meter.used > 0 ? meter.lastAtMs : 0, previous?.atMs ?? 0);
    const hasPlace = meter.used < limit;
    const hasSlot = quota.throttleMs > 0 && nowMs >= lastAtMs + quota.throttleMs;
    const free = hasPlace || hasSlot ? this.days.free(demand, meter) : "refused: rate_limit_exceeded";
    if (typeof free === "string" || !hasPlace) {
      const paid = this.#account(key.accountId).balance > 0n ? payment() : null;
      if (paid) return paid;
      if (typeof free === "string") return free;
    }
    const places = Math.min(answers, Math.max(0, limit - meter.used));
    const slots = quota.throttleMs > 0 ? answers - places : 0;
    // The first slot is now, or after the places taken now and all earlier slots.
    const firstMs = places > 0 ? Math.max(nowMs, previous?.atMs ?? 0) + quota.throttleMs : nowMs;
    const taken = slots > 0 ? { atMs: firstMs + (slots - 1) * quota.throttleMs, by: demand.id } : null;
    const kind = places > 0 ? "allowance" : "throttle";
    const took = { places, slots, taken, previous: taken ? previous : null };
    return { place: { kind, ...none, ...took, free }, nano: 0n };
  }

  #hold(demand: Admission, { place, nano }: { readonly place: ModelPlace; readonly nano: bigint }): void {
    const { id, accountId, keyId, node, nowMs, idempotency } = demand;
    this.days.take(place, nowMs);
    const replyId = idempotency?.replyId ?? null;
    const hold: ModelHold = { node, accountId, keyId, place, nano, replyId, admission: demand };
    this.holds.set(id, hold);
    this.admitted.set(id, hold);
    if (idempotency) {
      const { bodyDigest } = idempotency;
      this.replies.set(idempotency.replyId, { requestId: id, bodyDigest, atMs: nowMs, state: "pending" });
    }
    const account = this.#account(accountId);
    account.balance -= nano;
    account.held += nano;
    if (nano > 0n) this.#spend(keyId).held += nano;
  }

  #settle(demand: Settlement, node: string): string {
    const { record, produced, giveBack, isDue, nowMs } = demand;
    const hold = this.holds.get(record.id);
    if (!hold) {
      const row = this.rows.get(record.id);
      if (row?.settlement.record.ended === "lost" && record.ended !== "lost") return this.#late(demand, row);
      return settledWords(row?.charged ?? 0n, row?.hold.nano ?? 0n, 0n, false);
    }
    const kept = demand.sealedReply === null ? "unavailable" : "kept";
    this.#release(record.id, hold, produced ? { state: kept, atMs: nowMs } : null);
    const isRefused = giveBack.beyond !== null;
    const { answers, isBounded } = giveBack;
    const back = this.days.giveBack(hold, answers, isBounded, isRefused, hold.admission.nowMs);
    const isBeyond = isRefused && back < giveBack.answers;
    const cost = BigInt((isBeyond ? (giveBack.beyond ?? record) : record).costNanoUsd);
    const isOwed = isDue || isBeyond;
    const due = isOwed ? cost : 0n;
    this.days.settleFree(hold.place, due);
    const isCharged = hold.place.kind === "balance" || (hold.place.kind === "unlimited" && isBeyond);
    const { charged, writtenOff } = isCharged ? this.#pay(hold, due) : NOTHING;
    this.rows.set(record.id, {
      hold,
      settlement: demand,
      isOwed,
      by: node,
      charged,
      writtenOff,
      isLate: false,
    });
    return settledWords(charged, hold.nano, writtenOff, false);
  }

  /** The request was given up as lost, and its node settles it after all. Its place stays returned. */
  #late(demand: Settlement, { hold, by }: ModelRow): string {
    const { record, isDue, nowMs, produced, sealedReply, place } = demand;
    const due = isDue ? BigInt(record.costNanoUsd) : 0n;
    const reply = hold.replyId === null ? undefined : this.replies.get(hold.replyId);
    const isRepeated =
      reply !== undefined && (reply.state === "pending" || nowMs - reply.atMs < REPLY_KEPT_MS);
    const { idempotency } = hold.admission;
    if (idempotency && !isRepeated && produced) {
      const state = sealedReply === null ? "unavailable" : "kept";
      const { bodyDigest } = idempotency;
      this.replies.set(idempotency.replyId, { requestId: record.id, bodyDigest, atMs: nowMs, state });
    }
    if (place && hold.place.free !== null) this.days.settleFree({ ...hold.place, free: 0n }, due);
    const isCharged = hold.place.kind === "balance";
    const { charged, writtenOff } = isCharged ? this.#pay({ ...hold, nano: 0n }, due, isRepeated) : NOTHING;
    this.rows.set(record.id, {
      hold,
      settlement: demand,
      isOwed: isDue,
      by,
      charged,
      writtenOff,
      isLate: true,
    });
    return settledWords(charged, hold.nano, writtenOff, true);
  }

  /** Undoes the admission completely. */
  #undo(id: string, hold: ModelHold): void {
    this.#release(id, hold, null);
    this.days.giveBack(hold, hold.place.places + hold.place.slots, false, false, 0);
    this.days.settleFree(hold.place, 0n);
    if (hold.place.kind === "balance") this.#pay(hold, 0n);
  }

  /** The Idempotency-Key is free again if nothing was produced (`kept` is null). */
  #release(
    id: string,
    hold: ModelHold,
    kept: { readonly state: "kept" | "unavailable"; readonly atMs: number } | null,
  ): void {
    this.holds.delete(id);
    const reply = hold.replyId === null ? undefined : this.replies.get(hold.replyId);
    if (hold.replyId === null || reply?.requestId !== id) return;
    if (kept === null) this.replies.delete(hold.replyId);
    else this.replies.set(hold.replyId, { ...reply, ...kept });
  }

  /** `isFree` if the operator pays all of it. */
  #pay(
    hold: ModelHold,
    due: bigint,
    isFree = false,
  ): { readonly charged: bigint; readonly writtenOff: bigint } {
    const account = this.#account(hold.accountId);
    const spend = this.#spend(hold.keyId);
    account.held -= hold.nano;
    account.balance += hold.nano;
    spend.held -= hold.nano;
    const charged = isFree ? 0n : due < account.balance ? due : account.balance;
    // A charge to a key without a limit was never held, so it is never written off.
    const writtenOff = hold.place.kind === "balance" ? due - charged : 0n;
    account.balance -= charged;
    account.revenue += charged + writtenOff;
    account.writtenOff += writtenOff;
    spend.spent += charged;
    return { charged, writtenOff };
  }
}
