// The reason for a choice in a sentence of plain ASCII, and the reasons against models that are predicted to be better.
import type { ModelCard } from "../core/models/card.ts";
import { STAY_WORDS } from "../core/models/selector.ts";
import type { Candidate } from "./candidate.ts";
import type { SelectorRule } from "./selector.ts";
import type { Staying } from "./staying.ts";

/** A decision, as far as it is explained. */
interface ExplainedChoice {
  readonly selector: Pick<SelectorRule, "name" | "saves">;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** The kind of task whose pin decided. Null if none did. */
  readonly pinned: string | null;
  readonly stays: Pick<Staying, "because"> | null;
  /** True if labels decide what counts as better. */
  readonly isTaught: boolean;
}

/** From this factor on, decimals say nothing. */
const WHOLE_FROM = 10;
/** Smaller differences aren't worth a word. */
const FACTOR_MIN = 1.05;

/** Returns why the first was chosen. Null if there is no choice. */
export function explainChoice({ candidates, ...decision }: ExplainedChoice): string | null {
  const able = candidates.filter(({ eligible }) => eligible);
  const [first] = able;
  if (first === undefined) return null;
  const top = able.reduce((best, one) => (one.quality > best.quality ? one : best), first);
  return toAscii(`${readName(first.card)}: ${describeReason(first, top, decision)}`);
}

function describeReason(
  first: Candidate,
  top: Candidate,
  decision: Omit<ExplainedChoice, "candidates">,
): string {
  const { selector, pinned, stays, isTaught } = decision;
  if (pinned !== null) return `pinned for ${pinned}`;
  if (stays !== null) return `stays ${STAY_WORDS[stays.because]}`;
  const isBest = selector.saves === null;
  if (first === top)
    return `the best prediction (${describeQuality(top)})${isBest ? ", and none within 0.01 of it is cheaper" : ""}`;
  if (isBest && isTaught)
    return `the best overall (${describeQuality(first)}); labels don't confirm that another is better`;
  const share = isBest
    ? "within 0.01"
    : `${Math.floor((100 * first.quality) / Math.max(top.quality, Number.EPSILON))}%`;
  const saving = describeSaving(first, top, selector.saves ?? "cost");
  return `${share} of the best prediction (${describeQuality(top)})${saving === null ? "" : `, ${saving}`}`;
}

/** Returns why a model that is predicted to be better wasn't taken. Null for the others, and for those that can't serve. */
export function explainRefusal(one: Candidate, first: Candidate | undefined): string | null {
  if (first === undefined || one === first || !one.eligible || one.quality <= first.quality) return null;
  const better = `${(one.quality - first.quality).toFixed(3)} better`;
  const dearer = compare(one.costUsd ?? 0, first.costUsd ?? 0, "dearer", "not free");
  const slower = compare(one.latencyMs, first.latencyMs, "slower", "slower");
  const losses = [dearer, slower].filter((loss) => loss !== null);
  return [better, ...(losses.length === 0 ? ["which labels don't confirm"] : losses)].join(", ");
}

function describeSaving(first: Candidate, top: Candidate, saves: "cost" | "time"): string | null {
  const cheaper = compare(top.costUsd ?? 0, first.costUsd ?? 0, "cheaper", "free");
  const faster = compare(top.latencyMs, first.latencyMs, "faster", "faster");
  return saves === "time" ? (faster ?? cheaper) : (cheaper ?? faster);
}

/** Returns "120x" and the word, or `none` if the lesser is nothing. Null if it is no more. */
function compare(more: number, less: number, word: string, none: string): string | null {
  if (more <= 0 || more < less * FACTOR_MIN) return null;
  if (less <= 0) return none;
  const factor = more / less;
  return `${factor < WHOLE_FROM ? factor.toFixed(1) : Math.round(factor)}x ${word}`;
}

/** Such as "0.91, benchmark of 2026-08". */
function describeQuality({ quality, source, asOf }: Candidate): string {
  const date = asOf === null ? "" : ` of ${asOf.slice(0, 7)}`;
  return `${quality.toFixed(2)}, ${SOURCE_WORDS[source]}${date}`;
}

const SOURCE_WORDS: Readonly<Record<Candidate["source"], string>> = {
  labels: "labels",
  skills: "your own skills",
  benchmark: "benchmark",
  guess: "a guess",
};

function readName({ id, provider }: ModelCard): string {
  return id.slice(provider.length + 1);
}

/** Returns the reason for a choice with the model that answers instead of it. */
export function nameReplacement(why: string, model: string): string {
  return `${why}; answered by ${toAscii(model)} in its place`;
}

/** Headers carry nothing else. */
export function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
