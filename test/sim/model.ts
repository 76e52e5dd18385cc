// The auditor's own ledger: it decides every demand anew, by the rules as they are stated and in its own arithmetic, and says where the answer was another.
import type { Admission, Answer, Demand, Settlement } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/key.ts";
import { markupPartsOf, worstOf } from "./model-money.ts";
import {
  type ModelAccount,
  type ModelHold,
  type ModelMeter,
  type ModelPlace,
  type ModelReply,
  type ModelRow,
  type ModelSlot,
  type ModelSpend,
  placeWords,
  settledWords,
  wordsOf,
} from "./model-rows.ts";
import type { BookEvent } from "./node.ts";
import { nextDay, ownDay } from "./own-days.ts";
import type { Scenario } from "./scenario.ts";

const REPLY_KEPT_MS = 86_400_000;

/** The books as they should be after all events, and what was decided otherwise. */
export class Model {
  readonly accounts = new Map<string, ModelAccount>();
  readonly spends = new Map<string, ModelSpend>();
  readonly meters = new Map<string, ModelMeter>();
  readonly slots = new Map<string, ModelSlot | null>();
  readonly holds = new Map<string, ModelHold>();
  readonly replies = new Map<string, ModelReply>();
  readonly rows = new Map<string, ModelRow>();
  /** How each request was let in that ever was. */
  readonly admitted = new Map<string, ModelHold>();
  readonly problems: string[] = [];
  readonly #topUps = new Map<string, number>();
  readonly #keys: Map<string, GatewayKey>;
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
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
        for (const [id, meter] of this.meters)
          if (meter.lastAtMs < event.before.metersMs) this.meters.delete(id);
        return;
      case "decided":
        this.#decided(event.demand, event.answer, event.node);
    }
  }

  #decided(demand: Demand, answer: Answer, node: string): void {
    const expected = this.#expected(demand, answer, node);
    const given = wordsOf(answer);
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
    if (unknown) this.#resolve(demand.id, unknown, null, nowMs, null);
    if (!key || key.revokedAtMs !== null || isExpired) return "refused: invalid_api_key";
    // Others have taken its node for dead, and resolved it.
    if (this.rows.has(demand.id)) return "refused: store_unavailable";
    const before = this.#answeredBefore(demand, answer);
    if (before !== null) return before;
    const place = this.#place(demand, key);
    if (typeof place === "string") return place;
    this.#hold(demand, place);
    return `granted ${placeWords(place.place)} ${place.nano}`;
  }

  #answeredBefore({ idempotency, nowMs }: Admission, answer: Answer): string | null {
    const reply = idempotency ? this.replies.get(idempotency.replyId) : undefined;
    if (!idempotency || !reply) return null;
    if (reply.state !== "pending" && nowMs - reply.atMs >= REPLY_KEPT_MS) return null;
    if (reply.bodyDigest !== idempotency.bodyDigest) return "refused: idempotency_mismatch";
    if (reply.state === "pending") return `pending ${reply.requestId}`;
    if (reply.state === "unavailable") return "refused: idempotency_unavailable";
    // Which answer it is is compared where it was received.
    return answer.kind === "replayed" ? wordsOf(answer) : "replayed";
  }

  #place(demand: Admission, key: GatewayKey): { readonly place: ModelPlace; readonly nano: bigint } | string {
    const { quota, billing } = this.#scenario;
    const { nowMs } = demand;
    const payment = () => {
      const nano = this.#affordable(demand, key);
      return nano === null ? null : { place: { kind: "balance" } as const, nano };
    };
    if (billing.charge === "always") {
      if (demand.offers.length === 0) return "refused: model_not_priced";
      return payment() ?? "refused: insufficient_balance";
    }
    const limit = key.requestsPerDay === "default" ? quota.requestsPerDay : key.requestsPerDay;
    if (limit === null) return { place: { kind: "unlimited" }, nano: 0n };
    const isShared = quota.scope === "account" && key.requestsPerDay === "default";
    const owner = isShared ? key.accountId : key.id;
    const today = ownDay(nowMs, quota);
    const day = this.meters.has(`${owner} ${nextDay(today)}`) ? nextDay(today) : today;
    const meter = this.meters.get(`${owner} ${day}`);
    if ((meter?.used ?? 0) < limit) return { place: { kind: "allowance", owner, day }, nano: 0n };
    if (this.#account(key.accountId).balance > 0n) {
      const paid = payment();
      if (paid) return paid;
    }
    const previous = this.slots.get(owner) ?? null;
    const lastAtMs = Math.max(meter?.lastAtMs ?? 0, previous?.atMs ?? 0);
    if (quota.throttleMs === 0 || nowMs < lastAtMs + quota.throttleMs) return "refused: rate_limit_exceeded";
    return { place: { kind: "throttle", owner, taken: { atMs: nowMs, by: demand.id }, previous }, nano: 0n };
  }

  /** The worst case at the dearest card; null when the free balance, or what the key may spend of it, is less. */
  #affordable({ offers }: Admission, key: GatewayKey): bigint | null {
    if (offers.length === 0) return null;
    const { balance } = this.#account(key.accountId);
    const { spent, held } = this.#spend(key.id);
    const limit = key.spendLimitNanoUsd === null ? null : BigInt(key.spendLimitNanoUsd) - spent - held;
    const free = limit !== null && limit < balance ? limit : balance;
    let most = 0n;
    for (const offer of offers) {
      const worst = worstOf(offer, free, markupPartsOf(this.#scenario));
      if (worst > free) return null;
      if (worst > most) most = worst;
    }
    return most;
  }

  #hold(demand: Admission, { place, nano }: { readonly place: ModelPlace; readonly nano: bigint }): void {
    const { id, accountId, keyId, node, nowMs, idempotency } = demand;
    if (place.kind === "allowance") {
      const meterId = `${place.owner} ${place.day}`;
      const meter = this.meters.get(meterId) ?? { used: 0, lastAtMs: nowMs };
      this.meters.set(meterId, { used: meter.used + 1, lastAtMs: Math.max(meter.lastAtMs, nowMs) });
    }
    if (place.kind === "throttle") this.slots.set(place.owner, place.taken);
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
    const { record, counted } = demand;
    const hold = this.holds.get(record.id);
    if (!hold) {
      const row = this.rows.get(record.id);
      const late = row?.settlement.record.ended === "lost" && record.ended !== "lost";
      return settledWords(row?.charged ?? 0n, row?.hold.nano ?? 0n, 0n, late);
    }
    const due = counted ? BigInt(record.costNanoUsd) : null;
    const { charged, writtenOff } = this.#resolve(
      record.id,
      hold,
      due,
      demand.nowMs,
      counted && demand.sealedReply !== null ? "kept" : "unavailable",
    );
    this.rows.set(record.id, { hold, settlement: demand, by: node, charged, writtenOff });
    return settledWords(charged, hold.nano, writtenOff, false);
  }

  /** `due` is null where nothing was produced. */
  #resolve(
    id: string,
    hold: ModelHold,
    due: bigint | null,
    atMs: number,
    kept: "kept" | "unavailable" | null,
  ): { readonly charged: bigint; readonly writtenOff: bigint } {
    this.holds.delete(id);
    const reply = hold.replyId === null ? undefined : this.replies.get(hold.replyId);
    if (hold.replyId !== null && reply?.requestId === id) {
      if (due === null || kept === null) this.replies.delete(hold.replyId);
      else this.replies.set(hold.replyId, { ...reply, atMs, state: kept });
    }
    if (due === null) this.#putBack(hold.place);
    if (hold.place.kind !== "balance") return { charged: 0n, writtenOff: 0n };
    const account = this.#account(hold.accountId);
    const spend = this.#spend(hold.keyId);
    account.held -= hold.nano;
    account.balance += hold.nano;
    spend.held -= hold.nano;
    const owed = due ?? 0n;
    const charged = owed < account.balance ? owed : account.balance;
    account.balance -= charged;
    account.revenue += owed;
    account.writtenOff += owed - charged;
    spend.spent += charged;
    return { charged, writtenOff: owed - charged };
  }

  #putBack(place: ModelPlace): void {
    if (place.kind === "allowance") {
      const meterId = `${place.owner} ${place.day}`;
      const meter = this.meters.get(meterId);
      if (meter) this.meters.set(meterId, { ...meter, used: meter.used - 1 });
    }
    if (place.kind === "throttle" && this.slots.get(place.owner)?.by === place.taken.by)
      this.slots.set(place.owner, place.previous);
  }
}
