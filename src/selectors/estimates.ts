// The models that are compared for one request, as columns: the expected quality, cost and time of each one's answer.

import { GUESS, LABELS } from "../core/models/origin.ts";
import type { PreparedAsk } from "./ask.ts";
import { CLOSE } from "./best.ts";
import { estimateCost, estimateMs, estimatePlainCost } from "./expense.ts";
import { CAUTION, computeSpread, estimateDoubt, expect, QUALITY_MAX, QUALITY_MIN } from "./quality.ts";
import { findChampion } from "./selector.ts";

/** As exact as costs and qualities are shown. */
const COST_DIGITS = 1e8;
const THOUSANDTHS = 1000;
/** More than `CLOSE`, by the smallest difference that is shown. */
const GUESS_BELOW = CLOSE + 1 / THOUSANDTHS;
/** Observed error rates above this are not believed. */
const ERROR_RATE_MAX = 0.9;

export type Estimates = Readonly<ReturnType<typeof estimateAll>>;

/** `rows` are the cards' places in the table. All places below are those in `rows`. */
export function estimateAll(asked: PreparedAsk, rows: Int32Array) {
  const { table } = asked;
  const cardAt = (place: number) => {
    const card = table.cards[rows[place] ?? -1];
    if (card === undefined) throw new RangeError("There is no such candidate.");
    return card;
  };
  const qualities = estimateQualities(asked, rows);
  const columns = { ...qualities, ...estimateExpenses(asked, rows), score: new Float64Array(rows.length) };
  const champion = findChampion({ level: qualities.level, cardAt });
  /** Returns the place of a card, or −1 if it isn't one of these. */
  const find = (id: string) => rows.indexOf(table.places.get(id) ?? -1);
  const doubtAt = (place: number) => estimateRowDoubt(asked, rows[place] ?? -1);
  return { asked, rows, ...columns, doubtAt, champion, cardAt, find };
}

function estimateQualities(asked: PreparedAsk, rows: Int32Array) {
  const { table, shifts, quality: ask } = asked;
  const quality = new Float64Array(rows.length);
  const level = new Float64Array(rows.length);
  const source = new Uint8Array(rows.length);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0;
    const before = expect(table.odds, row * ask.skills.length, table.oddsLevel[row] ?? 0, ask);
    const off = computeCaution(asked, row, before);
    source[place] = shifts.scoredOn(row) === null ? (table.source[row] ?? 0) : LABELS;
    quality[place] = Math.max(QUALITY_MIN, before + shifts.quality(row) - off);
    level[place] = (table.level[row] ?? 0) + shifts.lift(row) - off;
  }
  holdBack(asked, rows, quality, shifts.quality);
  holdBack(asked, rows, level, shifts.lift);
  for (let place = 0; place < rows.length; place++) {
    const works = findWorkingShare(asked, rows[place] ?? 0);
    quality[place] = (quality[place] ?? 0) * works;
    level[place] = (level[place] ?? 0) * works;
  }
  lower(quality, level);
  for (let place = 0; place < rows.length; place++)
    quality[place] = Math.round((quality[place] ?? 0) * THOUSANDTHS) / THOUSANDTHS;
  return { quality, level, source };
}

function estimateExpenses(asked: PreparedAsk, rows: Int32Array) {
  const { table, cached, promptTokens, lengthAt } = asked;
  const costUsd = new Float64Array(rows.length);
  const latencyMs = new Float64Array(rows.length);
  const holder = table.places.get(cached?.cardId ?? "") ?? -1;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0;
    // Numbers, because an object for each of thousands takes as long as all the rest.
    const length = lengthAt(row);
    const answer = estimateAnswer(asked, length);
    const thought = estimateThought(asked, row) * length;
    const isPlain = row !== holder && table.isTiered[row] === 0;
    const usd = isPlain
      ? estimatePlainCost(table, row, promptTokens, answer, thought)
      : priceTokens(asked, row, row === holder ? (cached?.tokens ?? 0) : 0, { answer, thought });
    costUsd[place] = Math.round(usd * COST_DIGITS) / COST_DIGITS;
    latencyMs[place] = timeTokens(asked, row, answer + thought);
  }
  return { costUsd, latencyMs };
}

/** Returns what a guessed model's doubt takes off its quality. 0 if it is measured. */
function computeCaution({ table, shifts, quality }: PreparedAsk, row: number, before: number): number {
  if (table.isGuessed[row] !== 1) return 0;
  const from = row * quality.skills.length;
  return CAUTION * computeSpread(table.oddsSpreads, from, shifts.doubt(row), quality, before);
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

type Tokens = ReturnType<typeof estimateTokens>;

/** Returns USD with this many prompt tokens in the provider's cache, of an answer `times` as long. 0 without a price. */
export function priceTokens(
  asked: PreparedAsk,
  row: number,
  held: number,
  { answer, thought }: Tokens,
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
