// One upstream call as its provider knows it: its text, its counts, and its failure, if any.
import type { Counted, SimModel } from "./cards.ts";
import type { Dice } from "./dice.ts";
import type { Asked } from "./shapes.ts";

export const REQUEST_HEADER = "x-sim-request";

const TROUBLES = [
  "none",
  "refuses",
  "no_connection",
  "reset_once",
  "unreachable",
  "silent",
  "stalls",
  "garbage",
  "breaks",
  "ends_early",
  "error_event",
  "no_count",
  "beyond_hold",
  "slow",
  "stays_open",
] as const;
export type Trouble = (typeof TROUBLES)[number];
export type TroubleWeights = Readonly<Record<Trouble, number>>;

/** One call as its provider knows it. */
export interface CallTruth {
  /** The completion's id, read from a header. */
  readonly requestId: string;
  /** The number of the attempt within its request, from 1. */
  readonly attempt: number;
  readonly number: number;
  readonly cardId: string;
  readonly atMs: number;
  /** The same on the monotonic clock. */
  readonly monotonicMs: number;
  readonly asked: Asked;
  readonly trouble: Trouble;
  /** True if it stays within its request's limit and the largest size of its prompt. */
  readonly honest: boolean;
  /** The text of each choice, whole and as far as it was sent. */
  readonly texts: readonly string[];
  readonly sent: string[];
  /** The last reported count, and the count of the whole answer. */
  reported: Counted | null;
  readonly invoice: Counted;
  /** True once sent to its end, with its finish. */
  whole: boolean;
  /** True if the connection was lost before any answer. */
  unconnected: boolean;
  endedAtMs: number | null;
}

/** A text that is unique to this call. */
export function makeText(dice: Dice, call: number, choice: number): string {
  const words = Array.from(
    { length: dice.int(1, 12) },
    (_, at) => `w${dice.int(10, 99)}${"y".repeat(at % 7)}`,
  );
  return `c${call}.${choice}:${words.join(" ")}`;
}

/** The counts of a prompt of this many tokens. */
export function splitPrompt({ cached, cacheWrite }: Counted, prompt: number): Partial<Counted> {
  return {
    prompt,
    cached: Math.min(cached, prompt),
    cacheWrite: Math.min(cacheWrite, prompt - Math.min(cached, prompt)),
  };
}

export function makeInvoice(
  dice: Dice,
  { shape, outputTokensMax }: SimModel,
  asked: Asked,
  beyond: boolean,
): Counted {
  const prompt = Math.ceil(asked.promptBytes / (1.5 + dice.next() * 3)) + dice.int(0, 60);
  const cap = (asked.limit ?? outputTokensMax ?? 1000) * asked.choices;
  const most = beyond
    ? cap * dice.int(2, 6)
    : Math.max(1, dice.chance(0.2) ? cap : Math.ceil(cap * dice.next()));
  const completion = Math.max(1, most);
  const cached = dice.chance(0.3) ? dice.int(0, prompt) : 0;
  return {
    prompt: beyond ? prompt * dice.int(1, 4) : prompt,
    completion,
    cached,
    cacheWrite: shape === "anthropic" && dice.chance(0.3) ? dice.int(0, prompt - cached) : 0,
    reasoning: shape !== "anthropic" && dice.chance(0.3) ? dice.int(0, completion) : 0,
  };
}

const CALM: TroubleWeights = {
  none: 100,
  refuses: 3,
  no_connection: 2,
  reset_once: 1,
  unreachable: 0.5,
  silent: 2.5,
  stalls: 3,
  garbage: 2,
  breaks: 3,
  ends_early: 3,
  error_event: 2,
  no_count: 5,
  beyond_hold: 5,
  slow: 4,
  stays_open: 1,
};

/** The behaviour of a day's providers: nearly all work, or nearly none do. */
export function pickTroubles(dice: Dice): TroubleWeights {
  const factor = dice.pick([0.2, 1, 3, 6]);
  return { ...CALM, none: CALM.none / factor };
}
