// Counts what a provider's answer produced, and bills it by its report or by an estimate.
import type { ClaimedUsage, Trace } from "../../core/log/trace.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { type Amounts, NO_AMOUNTS, UNITS } from "../../core/money/units.ts";
import type { Form } from "../../operations/form.ts";
import type { Meter, SentAsk } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import { findHoldMost } from "../plan/hold-most.ts";
import { countAnswer, UNCOUNTED, type UsageCount } from "../settle/counted.ts";
import type { TermsRules } from "../settle/terms-bill.ts";

export class AnswerCount<F extends Form> implements TermsRules {
  readonly #call: Call<F>;
  readonly markup: number;
  #meter: Meter<F>;
  /** The request as sent to the provider that answered. */
  #asked: SentAsk<F["ask"]> | null = null;
  /** The provider's latest usage report. */
  #reported: F["usage"] | null = null;
  /** True if that report is final: every answer had finished. */
  #isFinal = false;
  #counted: UsageCount<F["usage"]> | null = null;

  constructor(call: Call<F>) {
    this.#call = call;
    this.markup = call.markup;
    this.#meter = call.operation.meter(call.ask);
  }

  /** Counts the pieces as they pass. */
  get meter(): Meter<F> {
    return this.#meter;
  }

  /** The last count. Null before the first. */
  get counted(): UsageCount<F["usage"]> | null {
    return this.#counted;
  }

  /** The provider's report, if the count isn't the same: it was implausible, wasn't final, or names a cost. */
  get claimed(): ClaimedUsage | null {
    const done = this.#counted;
    if (done?.source === "provider" && done.bill.claimedNanoUsd === undefined) return done.implausible;
    const amounts = this.#findClaimed();
    const costNanoUsd = done?.bill.claimedNanoUsd;
    if (costNanoUsd === undefined) return amounts;
    return { ...(amounts ?? done?.bill.amounts ?? NO_AMOUNTS), costNanoUsd };
  }

  #findClaimed(): Amounts | null {
    if (this.#counted?.source === "provider") return this.#counted.implausible;
    return this.#reported && this.#call.operation.countAmounts(this.#reported);
  }

  /** The provider's token counts, if they were implausible. */
  get implausible(): Trace["usageImplausible"] {
    const claimed = this.#counted?.implausible ?? null;
    return claimed && { promptTokens: claimed.prompt, completionTokens: claimed.completion };
  }

  /** Begins again, because the request has changed. */
  restart(): void {
    this.#meter = this.#call.operation.meter(this.#call.ask);
  }

  /** Sets the request that is answered. */
  begin(asked: SentAsk<F["ask"]>): void {
    this.#asked = asked;
  }

  /** Stores the provider's usage report. */
  report(usage: F["usage"], isFinal: boolean): void {
    if (!this.#saysAnything(usage)) return;
    this.#reported = usage;
    this.#isFinal = isFinal;
  }

  /** Some servers report zeros until they know, or for good. An answer has tokens. */
  #saysAnything(usage: F["usage"]): boolean {
    if (usage.terms?.costUsd !== undefined) return true;
    const amounts = this.#call.operation.countAmounts(usage);
    for (const unit of UNITS) if (amounts[unit] !== 0) return true;
    return false;
  }

  /** Counts what was produced. Estimates it if there is no final report. */
  countProduced(): UsageCount<F["usage"]> {
    return this.#counted ?? this.count(this.#isFinal ? this.#reported : null);
  }

  /** Counts by this report, or by an estimate without one. */
  count(given: F["usage"] | null): UsageCount<F["usage"]> {
    const asked = this.#asked;
    if (asked === null) return UNCOUNTED;
    const reported = given && this.#saysAnything(given) ? given : null;
    const source = reported ? "provider" : "estimate";
    const usage = reported ?? this.estimate();
    this.#counted = countAnswer(this.#call.operation, usage, source, asked, this);
    return this.#counted;
  }

  get provider(): TermsRules["provider"] {
    const provider = this.#asked?.card.provider ?? "";
    return this.#call.routes.upstreams.get(provider)?.setup ?? null;
  }

  findHold(): NanoUsd {
    return this.#asked === null ? 0 : findHoldMost(this.#call, this.#asked);
  }

  /** Returns the provider's usage report, raised to at least what was seen. */
  estimate(): F["usage"] {
    const { operation, ask } = this.#call;
    const sent = this.#asked ?? { ask, calls: 1, unreadBytes: 0 };
    return operation.estimate(sent, this.#meter.bytes, this.#reported);
  }
}
