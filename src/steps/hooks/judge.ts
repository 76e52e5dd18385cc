// One hook: asks it about the texts that it hasn't passed before, within its bounds, and says what becomes of them.
import { Fault } from "../../core/faults/fault.ts";
import type { Evidence, Passage } from "../../core/health/evidence.ts";
import { waitForPlace } from "../../core/health/place.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { HookAction, HookCost } from "../../core/log/trace.ts";
import type { HookRule, HookState } from "../../core/models/hook.ts";
import type { Clock, Log } from "../../core/world/world.ts";
import type { PassedTexts } from "./passed.ts";
import type { Question } from "./protocol.ts";
import type { HookOutcome } from "./server.ts";
import type { Changes } from "./texts.ts";
import type { UnderWay } from "./under-way.ts";

/** A circuit breaker, which stops calls to a hook that fails, by payers. */
export interface HookBreaker {
  /** True if it is open for everybody who isn't served. */
  isOpenForAll(nowMs: number): boolean;
  readState(nowMs: number): HookState["state"];
  pass(nowMs: number, payer: string): Passage | null;
  /** True if it may pass in a moment. */
  lacksPlace(nowMs: number, payer: string): boolean;
  recordSuccess(nowMs: number, payer: string, passage: Passage): unknown;
  recordFailure(nowMs: number, payer: string, passage: Passage, evidence: Evidence): unknown;
  /** The question says nothing about the hook. */
  release(payer: string, passage: Passage): void;
}

export interface JudgePorts {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly log: Log;
  /** Asks the hook. Never rejects. */
  readonly ask: (rule: HookRule, question: Question, signal: AbortSignal) => Promise<HookOutcome>;
  readonly passed: PassedTexts;
  readonly underWay: UnderWay;
}

export interface Judgement {
  /** Empty if all texts pass. */
  readonly changes: Changes;
  /** The changed arguments of the answer's calls, by their place. */
  readonly calls: ReadonlyMap<number, string>;
}

/** Facts of one question beside its texts. */
export interface Asking {
  /** Records a call, with its times on the monotonic clock. */
  readonly trace: (action: HookAction, startMs: number, endMs: number, cost?: HookCost) => void;
  readonly requestId: string;
  /** The longest that it may take. */
  readonly timeoutMs: number;
  /** False for parts of an answer, which are asked about again with more of it. */
  readonly isWhole: boolean;
}

const NOTHING: Judgement = { changes: new Map(), calls: new Map() };
/** Once a hook fails for everybody and has judged nobody for so long, a text that is asked about nonetheless is hurried: … */
const SILENT_MS = 60_000;
/** … it waits for this share of the time limit, … */
const FAILING_SHARE = 1 / 4;
/** … but no less than this, … */
const FAILING_MS_MIN = 100;
/** … and than so many times the slowest of the last good answers. */
const SLOWEST_TIMES = 2;
const ANSWERS_KEPT = 16;

export class Judge {
  readonly rule: HookRule;
  readonly #breaker: HookBreaker;
  readonly #ports: JudgePorts;
  #isAsked = false;
  #lastReason = "";
  #judgedMs = Number.NEGATIVE_INFINITY;
  /** The milliseconds that its last good answers took. */
  readonly #tookMs: number[] = [];

  constructor(rule: HookRule, breaker: HookBreaker, ports: JudgePorts) {
    this.rule = rule;
    this.#breaker = breaker;
    this.#ports = ports;
  }

  /**
   * Throws the Faults `content_blocked`, `hook_unavailable` (if it fails and texts don't pass then) and
   * `too_many_parallel_requests`. All texts that the hook hasn't passed go in one call.
   */
  async judge(question: Question, asking: Asking): Promise<Judgement> {
    const { clock, passed, underWay } = this.#ports;
    const { key } = question;
    const scope = `${this.rule.name} ${this.rule.version} ${question.at} ${key.id} ${question.model}`;
    const nowMs = clock.monotonicMs();
    const texts = question.texts.filter((text) => !passed.has(scope, text, nowMs));
    if (texts.length === 0 && question.toolCalls.length === 0) return NOTHING;
    const leave = underWay.enter(key);
    try {
      const asked = { ...question, texts };
      const answer = await this.#ask(asked, asking);
      switch (answer.kind) {
        case "failed":
          return this.#fail(asked, asking, answer.lacksRoom === true);
        case "blocked":
          throw this.#refuse(question, answer.reason);
        case "judged":
          return this.#read(scope, asked, answer, asking);
      }
    } finally {
      leave();
    }
  }

  #read(
    scope: string,
    { texts }: Question,
    answer: Extract<HookOutcome, { kind: "judged" }>,
    { isWhole }: Asking,
  ): Judgement {
    const { clock, passed } = this.#ports;
    const nowMs = clock.monotonicMs();
    const changes = new Map<string, string>();
    for (const [at, text] of texts.entries()) {
      const now = answer.texts[at] ?? text;
      if (now !== text) changes.set(text, now);
      else if (isWhole) passed.add(scope, text, nowMs);
    }
    return { changes, calls: answer.calls };
  }

  /** Null before this process has asked the hook. */
  readState(nowMs: number): HookState | null {
    if (!this.#isAsked) return null;
    const { name } = this.rule;
    return { name, state: this.#breaker.readState(nowMs), reason: this.#lastReason };
  }

  /** Waits no longer than the hook may take, whatever its server or the connection does. */
  async #ask(question: Question, asking: Asking): Promise<HookOutcome> {
    const { clock } = this.#ports;
    const startMs = clock.monotonicMs();
    const payer = namePayer(question.key);
    let passage = this.#breaker.pass(startMs, payer);
    // A text that would pass unjudged is asked about in any case.
    if (passage === null && !this.rule.passesOnFailure && this.#breaker.lacksPlace(startMs, payer)) {
      await waitForPlace(clock, (nowMs) => this.#breaker.lacksPlace(nowMs, payer));
      passage = this.#breaker.pass(clock.monotonicMs(), payer);
    }
    if (passage === null && !this.rule.passesOnFailure) {
      this.#tell("failed", startMs, asking, "its breaker is open");
      return { kind: "failed", reason: "" };
    }
    const timeoutMs = passage === null ? this.#limitFailing(asking.timeoutMs, startMs) : asking.timeoutMs;
    const answer = this.#check(await this.#askWithin(timeoutMs, question), question);
    this.#record(startMs, payer, passage ?? "free", answer);
    this.#tell(
      nameAction(answer, question),
      startMs,
      asking,
      answer.kind === "failed" ? answer.reason : null,
      answer.cost,
    );
    return answer;
  }

  /** A payer whose own texts alone make the hook fail has no less time for the others. */
  #limitFailing(timeoutMs: number, nowMs: number): number {
    if (!this.#breaker.isOpenForAll(nowMs) || nowMs - this.#judgedMs < SILENT_MS) return timeoutMs;
    const leastMs = Math.max(FAILING_MS_MIN, SLOWEST_TIMES * Math.max(0, ...this.#tookMs));
    return Math.min(timeoutMs, Math.max(leastMs, this.rule.timeoutMs * FAILING_SHARE));
  }

  async #askWithin(timeoutMs: number, question: Question): Promise<HookOutcome> {
    const ending = new AbortController();
    const { promise: late, resolve } = Promise.withResolvers<HookOutcome>();
    const cancel = this.#ports.clock.after(timeoutMs, () => {
      resolve({ kind: "failed", reason: `no answer within ${timeoutMs} ms` });
      ending.abort();
    });
    const given = await Promise.race([this.#ports.ask(this.rule, question, ending.signal), late]);
    cancel();
    return given;
  }

  #record(startMs: number, payer: string, passage: Passage, answer: HookOutcome): void {
    const nowMs = this.#ports.clock.monotonicMs();
    if (answer.kind === "failed" && answer.lacksRoom) {
      this.#breaker.release(payer, passage);
      return;
    }
    this.#isAsked = true;
    if (answer.kind !== "failed") {
      this.#judgedMs = nowMs;
      this.#tookMs.push(nowMs - startMs);
      if (this.#tookMs.length > ANSWERS_KEPT) this.#tookMs.shift();
      this.#breaker.recordSuccess(nowMs, payer, passage);
      return;
    }
    this.#lastReason = answer.reason;
    this.#breaker.recordFailure(nowMs, payer, passage, answer.isUnsent ? "shared" : "caller");
  }

  /** A hook that changes a text although it never does is broken: a stream's beginning may have been shown by then. */
  #check(answer: HookOutcome, question: Question): HookOutcome {
    if (this.rule.masks || nameAction(answer, question) !== "changed") return answer;
    const { cost } = answer;
    return { kind: "failed", reason: "it changed a text, but masks is false", ...(cost && { cost }) };
  }

  #tell(
    action: HookAction,
    startMs: number,
    { trace, requestId }: Asking,
    cause: string | null,
    cost?: HookCost,
  ): void {
    const { clock, log } = this.#ports;
    const endMs = clock.monotonicMs();
    const { name } = this.rule;
    trace(action, startMs, endMs, cost);
    const about = { hook: name, action, request_id: requestId, ms: Math.round(endMs - startMs) };
    log({ event: "hook", level: cause === null ? "debug" : "warn", ...about, ...(cause && { cause }) });
  }

  /** A text that found no room never passes: other senders may have filled it. */
  #fail({ texts }: Question, { requestId }: Asking, lacksRoom: boolean): Judgement {
    const { name, passesOnFailure } = this.rule;
    if (passesOnFailure && !lacksRoom) {
      const about = { hook: name, request_id: requestId, texts: texts.length };
      this.#ports.log({ event: "hook_passed", level: "warn", ...about });
      return NOTHING;
    }
    throw new Fault("hook_unavailable", `The hook '${name}' could not be asked. Please try again shortly.`);
  }

  #refuse({ at }: Question, reason: string): Fault {
    const message = `The hook '${this.rule.name}' refused the ${at}: ${reason}`;
    return new Fault("content_blocked", message, { hookReason: reason });
  }
}

function nameAction(answer: HookOutcome, { texts }: Question): HookAction {
  if (answer.kind !== "judged") return answer.kind === "failed" ? "failed" : "blocked";
  return answer.calls.size > 0 || answer.texts.some((text, at) => text !== texts[at]) ? "changed" : "passed";
}
