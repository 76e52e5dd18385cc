// Seeded demands of a made-up gateway: its accounts, keys, settings and requests, in orders that a real one has too.
import type { Admission, Answer, Demand, Settlement } from "../../../src/core/demand.ts";
import type { Account, GatewayKey } from "../../../src/core/keys/key.ts";
import { UNKNOWN_ORIGIN } from "../../../src/core/log/record.ts";
import { findTagDay } from "../../../src/core/log/tags.ts";
import type { Trace } from "../../../src/core/log/trace.ts";
import { type BillingRules, LIMIT_RULES } from "../../../src/core/settings.ts";
import { makeReads } from "../../../src/ledger/allowance.ts";
import { lostRecord } from "../../../src/ledger/lost.ts";
import { makeLostOutcome } from "../../../src/ledger/outcome.ts";
import { BILLING, costing, DAY, HOUR, makeRecord, NOON, PROOF, QUOTA } from "../../harness/samples.ts";
import type { Dice } from "../../sim/dice.ts";
import { CARDS, makeAccounts, makeKeys } from "./tenants.ts";

const TAGS = ["team=a", "team=b", "team=a,user=7"];
const TRACE: Trace = {
  admittedMs: 1,
  attempts: [],
  bill: [],
  markup: 1,
  usageImplausible: null,
  message: null,
};

interface OpenRequest {
  readonly admission: Admission;
  /** True once a node gave it up as lost. */
  isLost: boolean;
}

export class Demands {
  readonly accounts: readonly Account[];
  readonly keys: readonly GatewayKey[];
  nowMs = NOON - 3 * DAY;
  readonly #dice: Dice;
  readonly #billing: BillingRules;
  readonly #again: Demand[] = [];
  #open: OpenRequest[] = [];
  #count = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.accounts = makeAccounts(dice);
    this.keys = makeKeys(dice);
    this.#billing = dice.chance(0.2) ? { charge: "always", markup: 1.1 } : BILLING;
  }

  next(): Demand {
    const dice = this.#dice;
    // Mostly forward, at times across midnight, and seldom back.
    if (dice.chance(0.3))
      this.nowMs += dice.pick([
        1,
        40,
        700,
        9000,
        60_000,
        dice.chance(0.05) ? 9 * HOUR : 5,
        dice.chance(0.02) ? -DAY : 3,
      ]);
    const again = dice.chance(0.7) ? this.#again.shift() : undefined;
    if (again) return again;
    if (this.#open.length > 0 && (dice.chance(0.47) || this.#open.length > 30)) return this.#settle();
    return dice.chance(0.03) ? this.#fund() : this.#admit();
  }

  /** Takes note of an answer: what lacked something is asked again with it, and what was granted is settled later. */
  hear(demand: Demand, answer: Answer): void {
    if (demand.kind !== "admit") return;
    const dice = this.#dice;
    if (answer.kind === "granted" && answer.settled === undefined) {
      this.#open.push({ admission: demand, isLost: false });
      if (demand.isEntry || dice.chance(0.01))
        this.#again.push({
          ...demand,
          ...FULL,
          isEntry: false,
          isLooking: false,
          reads: { ...demand.reads, isNew: false },
        });
    }
    if (answer.kind !== "lacking") return;
    const openings = [...(demand.reads.openings ?? []), ...answer.openings];
    this.#again.push({
      ...demand,
      offers: demand.offers ?? this.#offers(),
      isReserving: true,
      load: LOAD,
      reads: { ...demand.reads, openings },
    });
  }

  #offers() {
    const dice = this.#dice;
    return CARDS.slice(dice.int(0, 2)).map((card) => ({ ...costing(dice.pick([0, 40, 900, 5000])), card }));
  }

  #admit(): Admission {
    const dice = this.#dice;
    const key = dice.pick(this.keys);
    const id = `chatcmpl-${this.#count++}`;
    const rules = { quota: QUOTA, billing: this.#billing };
    const accountId = dice.chance(0.01) ? "plain" : key.accountId;
    const idempotency = dice.chance(0.1)
      ? {
          replyId: `reply ${accountId} ${Math.floor(this.#count / 12)}`,
          bodyDigest: dice.pick(["one", "one", "other"]),
        }
      : null;
    const reads = {
      ...makeReads(key, rules, this.nowMs, null),
      requestId: id,
      replyId: idempotency?.replyId ?? null,
      isNew: true,
    };
    const isFull = dice.chance(0.5);
    const admission: Admission = {
      kind: "admit",
      id,
      requestId: `req-${id}`,
      operation: dice.pick(["chat", "embedding"]),
      surface: "openai-chat",
      modelAsked: CARDS[0] ?? "",
      modelPlanned: CARDS[0] ?? "",
      selector: null,
      stream: dice.chance(0.3),
      idempotency,
      nowMs: this.nowMs,
      accountId,
      keyId: key.id,
      proof: PROOF,
      node: "node",
      ...rules,
      limits: LIMIT_RULES,
      answers: dice.pick([1, 1, 1, 3]),
      offers: isFull ? this.#offers() : null,
      isCapped: dice.chance(0.1),
      isReserving: isFull,
      load: isFull ? LOAD : null,
      isPayable: dice.chance(0.95),
      isGroup: dice.chance(0.1),
      reads,
    };
    if (!dice.chance(0.08)) return admission;
    const entry = { ...admission, idempotency: null, isEntry: true, isLooking: dice.chance(0.5) };
    return dice.chance(0.5) ? entry : { ...entry, settlement: this.#describe(entry) };
  }

  #settle(): Settlement {
    const dice = this.#dice;
    const open = dice.pick(this.#open);
    const settlement = this.#describe(open.admission);
    if (!open.isLost && dice.chance(0.06)) {
      open.isLost = true;
      const { answers } = open.admission;
      const hold = {
        ...open.admission,
        atMs: open.admission.nowMs,
        place: NO_PLACE,
        nanoUsd: 0,
        replyId: null,
      };
      return { ...settlement, ...makeLostOutcome(lostRecord(hold), answers), place: null, note: null };
    }
    // At times it is settled again.
    if (dice.chance(0.9)) this.#open = this.#open.filter((one) => one !== open);
    return settlement;
  }

  #describe({
    id,
    accountId,
    keyId,
    nowMs: atMs,
    operation,
    stream,
    requestId,
    idempotency,
    reads,
    answers,
  }: Admission): Settlement {
    const dice = this.#dice;
    const produced = dice.chance(0.8);
    const model = dice.pick(CARDS);
    const attempt = {
      last4: dice.pick(["abcd", null]),
      startMs: 0,
      firstTokenMs: null,
      endMs: 5,
      faultCode: null,
      upstreamStatus: null,
    };
    const outcome = produced ? ("answered" as const) : ("failed" as const);
    const traced: Trace = {
      ...TRACE,
      attempts: [{ ...attempt, model, outcome, calls: dice.int(0, 2), position: 2 }],
      counted: 0,
    };
    const record = makeRecord(id, {
      ...UNKNOWN_ORIGIN,
      requestId,
      accountId,
      keyId,
      atMs,
      operation,
      stream,
      modelUsed: produced ? model : null,
      modelTried: model,
      status: produced ? 200 : dice.pick([499, 502]),
      faultCode: produced ? null : "upstream_error",
      ended: produced ? "done" : "upstream_failed",
      usageSource: dice.pick(["provider", "estimate", "none"]),
      costNanoUsd: dice.pick([0, 30, 800, 6000]),
      tags: dice.chance(0.2) ? dice.pick(TAGS) : null,
      totalMs: dice.int(1, 9000),
      firstTokenMs: stream ? dice.int(1, 3000) : null,
      trace: JSON.stringify(traced),
    });
    const beyond = dice.chance(0.2) ? { ...record, costNanoUsd: 70 } : null;
    return {
      kind: "settle",
      accountId,
      nowMs: Math.max(this.nowMs, atMs),
      record: { ...record, traced },
      produced,
      isDue: produced,
      ceilingNanoUsd: dice.chance(0.1) ? 500 : null,
      limits: LIMIT_RULES,
      quota: QUOTA,
      giveBack: { answers: produced ? 0 : dice.int(0, answers), isBounded: dice.chance(0.7), beyond },
      sealedReply: produced && dice.chance(0.8) ? "sealed" : null,
      idempotency,
      place: dice.chance(0.5) ? NO_PLACE : null,
      note: null,
      reads: { ...reads, isNew: false, tagDayMs: findTagDay(atMs) },
    };
  }

  #fund(): Demand {
    const dice = this.#dice;
    const { id: accountId } = dice.pick(this.accounts);
    const id = `top-up ${accountId} ${dice.int(0, 400)}`;
    const reads = {
      accountId,
      keyId: null,
      owners: [],
      days: [],
      requestId: null,
      replyId: null,
      movementId: id,
    };
    const nanoUsd = dice.pick([20_000, 90_000, -500]);
    const funding = {
      accountId,
      id,
      nanoUsd,
      by: null,
      note: null,
      nowMs: this.nowMs,
      timeZone: "UTC",
      entry: null,
    };
    return { kind: "fund", movement: nanoUsd > 0 ? "topup" : "adjustment", ...funding, reads };
  }
}

const LOAD = { prompt: 100, output: 60 };
const FULL = { isReserving: true, load: LOAD, offers: [{ ...costing(40), card: "OpenAI#gpt" }] };
const NO_PLACE = {
  kind: "unlimited",
  owner: "key_1",
  day: "2026-11-20",
  places: 0,
  slots: 0,
  everyMs: 0,
  taken: null,
  previous: null,
  giveBackMax: 200,
  freeNanoUsd: null,
} as const;
