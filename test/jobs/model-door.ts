// Models that answer, fail or say that they are busy, behind the health and the plan of the gateway, on a clock that moves on command.
import type { Attempt } from "../../src/core/attempt.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { refuseWaiting } from "../../src/gateway/plan/line-places.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { Health } from "../../src/health/health.ts";
import type { LineCall, LineResult } from "../../src/jobs/ports.ts";
import { makeModelCard } from "../harness/cards.ts";
import type { ManualClock } from "../harness/manual-clock.ts";
import { LINE_COST } from "./job-world.ts";

const LOAD = { requests: 1, tokens: 0, isLine: true };

/** Returns what a call finds: an answer, a failure, or a provider that asks for so many milliseconds. */
type Behaviour = (nowMs: number) => "answer" | "fail" | number;

interface OneModel {
  behave: Behaviour;
  readonly ms: number;
}

/** The door of one node: another one has its own health of the same models. */
export class ModelDoor {
  /** The calls to providers, and the rows of the log, by models. */
  readonly calls = new Map<string, number>();
  readonly rows = new Map<string, number>();
  /** The times at which lines were answered, by models. */
  readonly answered = new Map<string, number[]>();
  /** True while the account has no money. */
  isPoor = false;
  readonly #models: Readonly<Record<string, OneModel>>;
  readonly #clock: ManualClock;
  readonly #health = new Health(() => {});

  constructor(clock: ManualClock, models: Readonly<Record<string, OneModel>>) {
    this.#clock = clock;
    this.#models = models;
  }

  async call(line: LineCall): Promise<LineResult> {
    const model = String(JSON.parse(new TextDecoder().decode(line.body)).model);
    const attempt: Attempt = { card: makeModelCard(model), credential: { secret: "key", weight: 1 } };
    line.placing.plan([this.#health.findPace(attempt)]);
    const plan = { attempts: [attempt], spares: [], load: LOAD };
    const nowMs = this.#clock.monotonicMs();
    try {
      refuseWaiting(this.#health, { line, key: line.key }, plan, nowMs);
    } catch (thrown) {
      if (thrown instanceof Fault) return refuse(thrown);
      throw thrown;
    }
    if (this.isPoor) return refuse(new Fault("insufficient_balance", "Top up."));
    count(this.rows, model);
    const permit = this.#health.begin(attempt, nowMs, new RequestRefusals(line.key), LOAD);
    if (permit === null) return refuse(new Fault("no_provider_available", "None."));
    line.placing.place();
    count(this.calls, model);
    const { behave, ms } = this.#models[model] ?? { behave: () => "fail", ms: 1 };
    const found = behave(this.#clock.nowMs());
    await new Promise<void>((resolve) => void this.#clock.after(found === "answer" ? ms : 20, resolve));
    const endMs = this.#clock.monotonicMs();
    if (found === "answer") {
      permit.finish(endMs, null);
      this.answered.getOrInsertComputed(model, () => []).push(endMs);
      return ANSWER;
    }
    const fault =
      found === "fail"
        ? new Fault("upstream_error", "It failed.", { upstreamStatus: 500 })
        : new Fault("provider_busy", "Too many.", { upstreamStatus: 429, retryAfterMs: found });
    permit.fail(endMs, fault);
    return refuse(fault);
  }
}

function count(counts: Map<string, number>, model: string): void {
  counts.set(model, (counts.get(model) ?? 0) + 1);
}

const ANSWER: LineResult = {
  requestId: "req",
  status: 200,
  body: "{}",
  fault: null,
  costNanoUsd: LINE_COST,
  chargedNanoUsd: LINE_COST,
};

function refuse(fault: Fault): LineResult {
  const body = JSON.stringify({ error: { code: fault.code } });
  return { ...ANSWER, status: fault.row.status, body, fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}

export const answers: Behaviour = () => "answer";
export const fails: Behaviour = () => "fail";

/** Answers one call in each period, and asks the others to wait for the next one, in whole seconds. */
export function makeLimited(periodMs: number): Behaviour {
  let next = 0;
  return (nowMs) => {
    if (nowMs < next) return Math.ceil((next - nowMs) / 1000) * 1000;
    next = nowMs + periodMs;
    return "answer";
  };
}
