// Counts what a provider's answer produced, and bills it by its report or by an estimate.
import type { Trace } from "../../core/log/trace.ts";
import type { Amounts } from "../../core/money/units.ts";
import type { Form } from "../../operations/form.ts";
import type { Meter, SentAsk } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import { countAnswer, UNCOUNTED, type UsageCount } from "../settle/counted.ts";

export class AnswerCount<F extends Form> {
  readonly #call: Call<F>;
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

  /** The provider's report, if the count isn't the same: it was implausible, or wasn't final. */
  get claimed(): Amounts | null {
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
    this.#reported = usage;
    this.#isFinal = isFinal;
  }

  /** Counts what was produced. Estimates it if there is no final report. */
  countProduced(): UsageCount<F["usage"]> {
    return this.#counted ?? this.count(this.#isFinal ? this.#reported : null);
  }

  /** Counts by this report, or by an estimate without one. */
  count(reported: F["usage"] | null): UsageCount<F["usage"]> {
    if (this.#asked === null) return UNCOUNTED;
    const { operation, markup } = this.#call;
    const report = {
      usage: reported ?? this.estimate(),
      source: reported ? "provider" : "estimate",
    } as const;
    this.#counted = countAnswer(operation, report, this.#asked, markup);
    return this.#counted;
  }

  /** Returns the provider's usage report, raised to at least what was seen. */
  estimate(): F["usage"] {
    const { operation, ask } = this.#call;
    const sent = this.#asked ?? { ask, calls: 1, unreadBytes: 0 };
    return operation.estimate(sent, this.#meter.bytes, this.#reported);
  }
}
