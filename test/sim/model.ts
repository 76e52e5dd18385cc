// The auditor's ledger: decides every demand again by a separate implementation of the rules, and reports differences.
import type { Admission, Answer, Demand, Settlement } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { ModelDays } from "./model-days.ts";
import { ModelLimits } from "./model-limits.ts";
import { type Placed, placeRequest } from "./model-place.ts";
import {
  describeAnswer,
  type ModelAccount,
  type ModelHold,
  type ModelReply,
  type ModelRow,
  type ModelSpend,
  placeWords,
  settledWords,
} from "./model-rows.ts";
import type { BookEvent } from "./node.ts";
import type { Scenario } from "./scenario.ts";

const REPLY_KEPT_MS = 86_400_000;
const NOTHING = { charged: 0n, writtenOff: 0n };

/** The books as they should be after all events, and the decisions that differed. */
export class Model {
  readonly accounts = new Map<string, ModelAccount>();
  readonly spends = new Map<string, ModelSpend>();
  readonly days: ModelDays;
  readonly limits: ModelLimits;
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
    this.limits = new ModelLimits(scenario);
    this.#keys = new Map(scenario.keys.map((key) => [key.id, key]));
    for (const { id } of scenario.accounts)
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
      const isOfAccount = demand.kind === "close" || demand.kind === "checkout" || demand.kind === "unnote";
      const id = demand.kind === "settle" ? demand.record.id : isOfAccount ? demand.accountId : demand.id;
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
      case "close":
      case "checkout":
      case "unnote":
      case "reset":
        return describeAnswer(answer);
    }
  }

  #account(id: string): ModelAccount {
    const account = this.accounts.get(id);
    if (!account) throw new Error(`There is no account ${id}.`);
    return account;
  }

  #key(id: string): GatewayKey {
    const key = this.#keys.get(id);
    if (!key) throw new Error(`There is no key ${id}.`);
    return key;
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
    if (unknown) this.#undo(demand.id, unknown, nowMs);
    if (!key || key.revokedAtMs !== null || isExpired) return "refused: invalid_api_key";
    // Other nodes have declared its node dead and resolved it.
    if (this.rows.has(demand.id)) return "refused: store_unavailable";
    const before = this.#answeredBefore(demand, answer);
    if (before !== null) return before;
    const limits = this.limits.check(demand, key, answer, this.#spend(key.id).spent);
    if (typeof limits === "string") return limits;
    const account = this.#account(key.accountId);
    const books = { days: this.days, scenario: this.#scenario, account };
    const found = placeRequest(books, demand, key, limits.offers, limits.funds);
    if (typeof found === "string") return found;
    this.#hold(demand, key, found, answer.kind === "granted" && answer.isNoted === true);
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

  #hold(demand: Admission, key: GatewayKey, { place, nano, held }: Placed, isNoted: boolean): void {
    this.limits.take(demand, key, held);
    const { id, accountId, keyId, node, nowMs, idempotency } = demand;
    if (isNoted) this.days.note(place, nowMs);
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
    const written = (isBeyond ? giveBack.beyond : null) ?? record;
    this.limits.settle(demand, this.#key(hold.keyId), written, due, false);
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
    this.limits.settle(demand, this.#key(hold.keyId), record, due, true);
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
  #undo(id: string, hold: ModelHold, nowMs: number): void {
    this.#release(id, hold, null);
    this.days.giveBack(hold, hold.place.places + hold.place.slots, false, false, 0);
    this.days.settleFree(hold.place, 0n);
    this.limits.undo(id, nowMs);
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
