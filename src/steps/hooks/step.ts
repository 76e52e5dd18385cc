// A hook as a step: before a request's admission, and around its answer.

import { Fault } from "../../core/faults/fault.ts";
import { refuseGuardrail } from "../../core/log/constraint.ts";
import type { HookAction, HookCost } from "../../core/log/trace.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { HookPlace, HookState } from "../../core/models/hook.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Call } from "../../gateway/call.ts";
import type { AnsweredCall, Around, ChangedCall, Enter, Step } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import { type FindAccountName, matchesAccount, matchesKey } from "../applies.ts";
import { hasAttachments, hasTokens } from "../unseen.ts";
import { HookedAnswer, HookedSentences } from "./answer.ts";
import type { Asking, Judge } from "./judge.ts";
import type { Question } from "./protocol.ts";
import { changeAsked, collectAsked } from "./texts.ts";

export interface StepPorts {
  readonly accountName: FindAccountName;
  /** Returns the id of a request's calls to hooks. */
  readonly callId: (call: object) => string;
  readonly nowMs: () => number;
}

export class HookStep implements Step {
  readonly #judge: Judge;
  readonly #ports: StepPorts;
  /** The requests that it applies to, whatever answers them. */
  readonly #applied = new WeakSet<object>();

  constructor(judge: Judge, ports: StepPorts) {
    this.#judge = judge;
    this.#ports = ports;
  }

  readState(nowMs: number): HookState | null {
    return this.#judge.readState(nowMs);
  }

  async before<F extends Form>(
    call: Call<F>,
    _ending: Ending,
    _enter: Enter,
    cards: readonly ModelCard[],
  ): Promise<ChangedCall<F> | null> {
    if (!(await this.#appliesTo(call, cards))) return this.#refuseNamed(call);
    this.#applied.add(call);
    const { at, refusesAttachments } = this.#judge.rule;
    if (refusesAttachments && hasAttachments(call, at.includes("answer")))
      throw this.#refuse("Pictures, sounds and files are refused.");
    if (!at.includes("request")) return null;
    if (hasTokens(call)) throw this.#refuse("A text must be sent as text, not as token ids.");
    const texts = call.time(() => collectAsked(call), null);
    const question = this.#ask(call, "request", { texts, toolCalls: [] });
    const { timeoutMs } = this.#judge.rule;
    const { changes } = await this.#judge.judge(question, this.#about(call, "request", true, timeoutMs));
    return changes.size === 0 ? null : call.time(() => changeAsked(call, changes), null);
  }

  around<F extends Form>({ call, family }: AnsweredCall<F>): Around<F> | null {
    const { rule } = this.#judge;
    if (!rule.at.includes("answer") || !this.#applied.has(call) || call.operation.makes === "sound")
      return null;
    const terms = {
      call,
      native: family === null ? null : (call.raw?.texts ?? null),
      timeoutMs: rule.timeoutMs,
      nowMs: this.#ports.nowMs,
      judge: ({
        isWhole,
        timeoutMs,
        ...part
      }: Pick<Question, "texts" | "toolCalls"> & Pick<Asking, "isWhole" | "timeoutMs">) =>
        this.#judge.judge(this.#ask(call, "answer", part), this.#about(call, "answer", isWhole, timeoutMs)),
    };
    return rule.masks ? new HookedAnswer(terms) : new HookedSentences(terms);
  }

  identify<F extends Form>(call: Call<F>, digestAsked: () => string): string | null {
    if (!this.#applied.has(call)) return null;
    const { name, version, at } = this.#judge.rule;
    return JSON.stringify([name, version, at.includes("answer") ? digestAsked() : null]);
  }

  /** Any of the models that may answer counts: failover asks no hook again. */
  async #appliesTo<F extends Form>({ key, ask }: Call<F>, cards: readonly ModelCard[]): Promise<boolean> {
    const { rule } = this.#judge;
    if (key.hooks?.includes(rule.name)) return true;
    if (!matchesKey(rule, key)) return false;
    const ids = [ask.model, ...cards.map(({ id }) => id)];
    if (!ids.some((id) => matchesAny(rule.models, id))) return false;
    return matchesAccount(rule, key, this.#ports.accountName);
  }

  /** A request that names the hook counts on it. */
  #refuseNamed<F extends Form>({ guardrails = [] }: Call<F>): null {
    const named = guardrails.find(({ name }) => name === this.#judge.rule.name);
    if (named === undefined) return null;
    throw refuseGuardrail(named);
  }

  #ask<F extends Form>(call: Call<F>, at: HookPlace, part: Pick<Question, "texts" | "toolCalls">): Question {
    const { key, ask, operation } = call;
    const messages = this.#judge.rule.sendsMessages ? operation.toLog(ask).messages : null;
    return { at, callId: this.#ports.callId(call), ...part, messages, model: ask.model, key };
  }

  #about<F extends Form>(call: Call<F>, at: HookPlace, isWhole: boolean, timeoutMs: number): Asking {
    const { name } = this.#judge.rule;
    const trace = (action: HookAction, startMs: number, endMs: number, cost?: HookCost) => {
      call.hooks ??= [];
      call.hooks.push({ name, at, action, startMs, endMs, ...(cost && { cost }) });
    };
    return { trace, requestId: call.requestId, timeoutMs, isWhole };
  }

  #refuse(reason: string): Fault {
    const message = `The hook '${this.#judge.rule.name}' refused the request: ${reason}`;
    return new Fault("content_blocked", message, { hookReason: reason });
  }
}
