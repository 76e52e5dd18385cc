// Sums of what selectors decided, with the cost and quality that each decision expected.
import type { NanoUsd } from "../money/money.ts";
import type { Scope } from "../people/people.ts";

/** Requests that began from `fromMs` (inclusive) to `toMs` (exclusive). */
export interface DecisionQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly selectors: readonly string[];
  readonly scope?: Scope | undefined;
}

/** The complete answers of a UTC day by models that the selector had weighed. */
export interface DecisionSum {
  /** The start of the day. */
  readonly dayMs: number;
  readonly selector: string;
  /** The best overall among the candidates. Ties go to the lowest id, as in the selectors. */
  readonly bestModel: string;
  readonly requests: number;
  /** The decisions that promised a share of quality, and the sum of those shares. */
  readonly promises: number;
  readonly promised: number;
  /** The predicted qualities of the models that answered, and of the best ones. */
  readonly quality: number;
  readonly bestQuality: number;
  readonly costNanoUsd: NanoUsd;
  /** The estimate for the best models. */
  readonly bestCostUsd: number;
  readonly savedMs: number;
  /** The answers that clients scored. */
  readonly judged: number;
  /** Their scores `s`, the best models' predicted qualities `b`, and their products. */
  readonly s: number;
  readonly b: number;
  readonly ss: number;
  readonly sb: number;
  readonly bb: number;
}
