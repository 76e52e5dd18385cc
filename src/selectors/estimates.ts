// The models that are compared for one request, as columns: the expected quality, cost and time of each one's answer.

import { GUESS, LABELS } from "../core/models/origin.ts";
import type { PreparedAsk } from "./ask.ts";
import { CLOSE } from "./best.ts";
import { estimateCost, estimateMs, estimatePlainCost } from "./expense.ts";
import { NO_SHIFTS } from "./knowledge.ts";
import { estimateDoubt, QUALITY_MAX, QUALITY_MIN } from "./quality.ts";
import { findChampion } from "./selector.ts";

/** As exact as costs and qualities are shown. */
const COST_DIGITS = 1e8;
const THOUSANDTHS = 1000;
/** More than `CLOSE`, by the smallest difference that is shown. */
const GUESS_BELOW = CLOSE + 1 / THOUSANDTHS;
/** Observed error rates above this are not believed. */
const ERROR_RATE_MAX = 0.9;

/** Stands for a number that isn't computed yet. */
const UNKNOWN = -1;

export type Estimates = Readonly<ReturnType<typeof estimateAll>>;

/** `rows` are the cards' places in the table. All places below are those in `rows`. */
export function estimateAll(asked: PreparedAsk, rows: Int32Array) {
  const { table } = asked;
  const cardAt = (place: number) => {
    const card = table.cards[rows[place] ?? -1];
    if (card === undefined) throw new RangeError("There is no such candidate.");
    return card;
  };
  const { quality, level, source } = estimateQualities(asked, rows);
  const champion = findChampion({ level, cardAt });
  /** Returns the place of a card, or −1 if it isn't one of these. */
  const find = (id: string) => rows.indexOf(table.places.get(id) ?? -1);
  const doubtAt = (place: number) => estimateRowDoubt(asked, rows[place] ?? -1);
  const score = new Float64Array(rows.length);
  return {
    asked,
    rows,
    quality,
    level,
    source,
    ...estimateExpenses(asked, rows),
    score,
    doubtAt,
    champion,
    cardAt,
    find,
  };
}

function estimateExpenses(asked: PreparedAsk, rows: Int32Array) {
  const { table, cached, promptTokens, lengthAt } = asked;
  const holder = table.places.get(cached?.cardId ?? "") ?? -1;
  // Numbers, because an object for each of thousands takes as long as all the rest.
  const costAt = computeOnce(rows, (row) => {
    const length = lengthAt(row);
    const answer = estimateAnswer(asked, length);
    const thought = estimateThought(asked, row) * length;
    const isPlain = row !== holder && table.isTiered[row] === 0;
    const usd = isPlain
      ? estimatePlainCost(table, row, promptTokens, answer, thought)
      : priceTokens(asked, row, row === holder ? (cached?.tokens ?? 0) : 0, { answer, thought });
    return Math.round(usd * COST_DIGITS) / COST_DIGITS;
  });
  const latencyAt = computeOnce(rows, (row) => {
    const length = lengthAt(row);
    return timeTokens(asked, row, estimateAnswer(asked, length) + estimateThought(asked, row) * length);
  });
  return { costAt, latencyAt };
}

/** Returns a function that computes the number of a place when it is first asked for. None is negative. */
function computeOnce(rows: Int32Array, compute: (row: number) => number): (place: number) => number {
  const known = new Float64Array(rows.length).fill(UNKNOWN);
  return (place) => {
    const found = known[place] ?? 0;
    if (found >= 0) return found;
    const made = compute(rows[place] ?? 0);
    known[place] = made;
    return made;
  };
}

function estimateQualities(asked: PreparedAsk, rows: Int32Array) {
  const quality = new Float64Array(rows.length);
  const level = new Float64Array(rows.length);
  const source = new Uint8Array(rows.length);
  const columns = { quality, level, source };
  if (asked.shifts === NO_SHIFTS) expectAll(asked, rows, columns);
  else shiftAll(asked, rows, columns);
  holdBack(asked, rows, quality, asked.shifts.quality);
  holdBack(asked, rows, level, asked.shifts.lift);
  for (let place = 0; place < rows.length; place++) {
    const works = findWorkingShare(asked, rows[place] ?? 0);
    quality[place] = (quality[place] ?? 0) * works;
    level[place] = (level[place] ?? 0) * works;
  }
  lower(quality, level);
  for (let place = 0; place < rows.length; place++)
    quality[place] = Math.round((quality[place] ?? 0) * THOUSANDTHS) / THOUSANDTHS;
  return columns;
}

interface QualityColumns {
  readonly quality: Float64Array;
  readonly level: Float64Array;
  readonly source: Uint8Array;
}

/** Fills the columns while nothing was learned of any model. */
function expectAll(
  { table, expected, caution }: PreparedAsk,
  rows: Int32Array,
  columns: QualityColumns,
): void {
  const { quality, level, source } = columns;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0;
    const profile = table.profileAt[row] ?? 0;
    const off = caution[profile] ?? 0;
    source[place] = table.source[row] ?? 0;
    quality[place] = Math.max(QUALITY_MIN, (expected[profile] ?? 0) - off);
    level[place] = (table.level[row] ?? 0) - off;
  }
}

/** Fills the columns with what was learned. */
function shiftAll(
  { table, shifts, expected, caution }: PreparedAsk,
  rows: Int32Array,
  columns: QualityColumns,
): void {
  const { quality, level, source } = columns;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0;
    const profile = table.profileAt[row] ?? 0;
    const off = (caution[profile] ?? 0) * shifts.doubt(row);
    source[place] = shifts.scoredOn(row) === null ? (table.source[row] ?? 0) : LABELS;
    quality[place] = Math.max(QUALITY_MIN, (expected[profile] ?? 0) + shifts.quality(row) - off);
    level[place] = (table.level[row] ?? 0) + shifts.lift(row) - off;
  }
}

/**
 * Lowers guesses, where something is measured, below all that counts as equal to the best of that: a guess is no reason
 * to leave a measured model. The more labels there are of a guessed model's own answers, the less of it is a guess.
 */
function holdBack(
  { table, shifts }: PreparedAsk,
  rows: Int32Array,
  values: Float64Array,
  learnedAt: (row: number) => number,
): void {
  let top = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < values.length; place++)
    if (table.source[rows[place] ?? 0] !== GUESS) top = Math.max(top, values[place] ?? 0);
  if (top === Number.NEGATIVE_INFINITY) return;
  for (let place = 0; place < values.length; place++) {
    const row = rows[place] ?? 0;
    if (table.source[row] !== GUESS) continue;
    const own = values[place] ?? 0;
    const over = own - learnedAt(row) - (top - GUESS_BELOW);
    if (over > 0) values[place] = Math.max(0, own - over * shifts.doubt(row));
  }
}

/** If the best quality is above the maximum, lowers all by the same amount, because their differences decide. */
function lower(quality: Float64Array, level: Float64Array): void {
  let off = 0;
  for (let place = 0; place < quality.length; place++)
    off = Math.max(off, (quality[place] ?? 0) - QUALITY_MAX);
  if (off === 0) return;
  for (let place = 0; place < quality.length; place++) {
    quality[place] = Math.max(0, (quality[place] ?? 0) - off);
    level[place] = Math.max(0, (level[place] ?? 0) - off);
  }
}

function estimateRowDoubt(asked: PreparedAsk, row: number): number {
  const { table, shifts, quality } = asked;
  const profile = table.profiles[row];
  if (profile === undefined) return 0;
  return (
    findWorkingShare(asked, row) * estimateDoubt(profile, shifts.doubt(row), shifts.spread(row), quality)
  );
}

/** The share of answers that don't fail. One that fails isn't good. */
export function findWorkingShare({ seenAt }: PreparedAsk, row: number): number {
  return 1 - Math.min(ERROR_RATE_MAX, seenAt(row)?.errorRate ?? 0);
}

/** The thinking expected by the profile alone, in tokens. */
export function estimateThought({ table, thoughtFor }: PreparedAsk, row: number): number {
  return thoughtFor(table.thinkingTokens[row] ?? 0);
}

/** Returns the expected tokens of an answer `length` times as long as predicted, at most the client's limit. */
function estimateAnswer({ prediction, outputTokensMax }: PreparedAsk, length: number): number {
  const tokens = prediction.outputTokens * length;
  return outputTokensMax === undefined ? tokens : Math.min(tokens, outputTokensMax);
}

/** Returns the expected tokens of the answer and of its thinking. */
export function estimateTokens(asked: PreparedAsk, row: number) {
  const length = asked.lengthAt(row);
  return { answer: estimateAnswer(asked, length), thought: estimateThought(asked, row) * length };
}

type EstimatedTokens = ReturnType<typeof estimateTokens>;

/** Returns USD with this many prompt tokens in the provider's cache, of an answer `times` as long. 0 without a price. */
export function priceTokens(
  asked: PreparedAsk,
  row: number,
  held: number,
  { answer, thought }: EstimatedTokens,
  times = 1,
) {
  const price = asked.table.prices[row] ?? null;
  return price === null ? 0 : estimateCost(price, asked.promptTokens, held, times * answer, times * thought);
}

/** Returns the time of this many tokens, by live health if known, else by the profile. */
export function timeTokens({ table, seenAt }: PreparedAsk, row: number, tokens: number): number {
  const seen = seenAt(row);
  const first = seen?.firstTokenMs ?? table.firstTokenMs[row] ?? 0;
  const speed = seen?.tokensPerSecond ?? table.tokensPerSecond[row] ?? 0;
  return estimateMs(first, speed, seen?.errorRate ?? 0, tokens);
}
