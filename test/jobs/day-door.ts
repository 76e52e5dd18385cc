// The gateway as the lines of a day see it: it refuses, fails, answers, charges, and keeps what it has answered.
import { nameLineReply } from "../../src/core/batches/batch.ts";
import { Fault, type FaultCode } from "../../src/core/faults/fault.ts";
import type { KeptReply } from "../../src/core/log/kept.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ending } from "../../src/core/world/ending.ts";
import type { LineCall, LineResult } from "../../src/jobs/ports.ts";
import type { ManualClock } from "../harness/manual-clock.ts";
import { makeRecord } from "../harness/samples.ts";
import type { DayModels } from "./day-models.ts";
import { LINE_COST } from "./job-world.ts";

/** The gateway, as lines see it: each is charged once, and gets the same answer again. */
export class Door {
  readonly charged = new Map<string, number>();
  /** The answers that are stored with what they were charged, by their replies' names. */
  readonly #kept = new Map<string, KeptReply>();
  /** The names of lines that have ended: a later answer to one is charged nothing. */
  readonly #gone = new Set<string>();
  /** True once answers were found whose results nobody had written. */
  tookOver = false;
  calls = 0;
  flying = 0;
  /** Calls whose answer reached nobody, since their node was killed. */
  lost = 0;
  isPoor = false;
  /** The most that all lines may cost. Infinity for any amount. */
  ceiling = Number.POSITIVE_INFINITY;
  /** Null if all models answer. */
  models: DayModels | null = null;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #chance: () => number;
  readonly #clock: ManualClock;
  readonly #trouble: number;

  constructor(chance: () => number, clock: ManualClock, trouble: number) {
    this.#chance = chance;
    this.#clock = clock;
    this.#trouble = trouble;
  }

  /** A line that is under way for another node is asked for once: its Idempotency-Key lets the second one wait. */
  async call(line: LineCall, isDead: () => boolean): Promise<LineResult> {
    const name = `${line.terms.batchId}/${line.line}`;
    line.placing.plan([]);
    const away = this.models?.meet(line, this.charged.has(name)) ?? null;
    if (away !== null) return explain(away);
    for (let other = this.#underWay.get(name); other !== undefined; other = this.#underWay.get(name))
      await other;
    if (this.charged.has(name)) return answer(line);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#underWay.set(name, promise);
    try {
      const result = await this.#ask(name, line, isDead);
      return result ?? new Promise(() => {});
    } finally {
      this.#underWay.delete(name);
      resolve();
    }
  }

  /** Returns null for a node that was killed meanwhile: it gets no answer, and is charged nothing. */
  async #ask(name: string, line: LineCall, isDead: () => boolean): Promise<LineResult | null> {
    if (this.isPoor) return refuse("insufficient_balance");
    if ((this.charged.size + this.flying + 1) * LINE_COST > this.ceiling)
      return refuse("budget_exceeded", this.flying > 0 ? "another" : line.terms.batchId);
    const dice = this.#chance();
    if (dice < this.#trouble) return refuse(this.#chooseFault());
    this.calls++;
    this.flying++;
    const isLeft = await this.#work(this.#chance() * 3000, line.ending);
    this.flying--;
    if (isDead()) {
      this.lost++;
      return null;
    }
    const id = nameLineReply(line.terms.batchId, line.line);
    if (isLeft || this.#gone.has(id)) return refuse("client_gone");
    if (dice > 1 - this.#trouble / 4) return refuse("upstream_error");
    this.charged.set(name, (this.charged.get(name) ?? 0) + LINE_COST);
    const { body } = answer(line);
    const about = { accountId: line.key.accountId, bodyDigest: "", requestId: id, atMs: this.#clock.nowMs() };
    this.#kept.set(id, { ...about, id, state: "kept", sealed: body });
    return answer(line);
  }

  /** Has the store's batches know the answers that are kept here, and forget lines that have ended. */
  keepWith(batches: Store["batches"]): Store["batches"]["change"] {
    return (of, wanted, decide) =>
      batches.change(of, wanted, (batch, blocks, stored) => {
        const ids = "replies" in wanted ? (wanted.replies?.ids ?? []) : [];
        const kept = ids.flatMap((id) => this.#kept.get(id) ?? []);
        if (kept.length > 0) this.tookOver = true;
        const change = decide(
          batch,
          blocks,
          new Map([...stored, ...kept.map((one) => [one.id, one] as const)]),
        );
        for (const id of change.repliesGone ?? []) this.#gone.add(id);
        return change;
      });
  }

  /** Returns the row of a request whose answer is kept. */
  findRow(requestId: string): RequestRecord | null {
    const costs = { costNanoUsd: LINE_COST, chargedNanoUsd: LINE_COST };
    return this.#kept.has(requestId) ? makeRecord(requestId, costs) : null;
  }

  #chooseFault(): FaultCode {
    const codes = ["provider_busy", "overloaded", "too_many_parallel_requests", "upstream_timeout"] as const;
    return codes[Math.floor(this.#chance() * codes.length)] ?? "overloaded";
  }

  #work(ms: number, ending: Ending): Promise<boolean> {
    return new Promise((resolve) => {
      ending.tell({ end: () => resolve(true) });
      this.#clock.after(ms, () => resolve(ending.reason !== null));
    });
  }
}

const DONE = {
  requestId: "req",
  status: 200,
  fault: null,
  costNanoUsd: LINE_COST,
  chargedNanoUsd: LINE_COST,
} as const;

function answer({ customId }: LineCall): LineResult {
  return { ...DONE, body: JSON.stringify({ text: customId }) };
}

/** `budget` names the budget that refuses. */
function refuse(code: FaultCode, budget?: string): LineResult {
  const limit = { scope: "account", name: budget ?? "", kind: "budget", limit: 1, used: 1 } as const;
  const busy = code === "provider_busy" ? { retryAfterMs: 2000 } : {};
  return explain(new Fault(code, "Refused.", budget === undefined ? busy : { limit }));
}

function explain(fault: Fault): LineResult {
  const body = JSON.stringify({ error: { code: fault.code } });
  return { requestId: "req", status: fault.row.status, body, fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}
