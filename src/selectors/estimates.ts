// The models that are compared for one request, as columns: the expected quality, cost and time of each one's answer.
import type { Asked } from "./ask.ts";
import { estimateCost, estimateMs, estimateThoughtTokens } from "./expense.ts";
import { computeSpread, expect, QUALITY_MAX, QUALITY_MIN } from "./quality.ts";
import { type Columns, findChampion } from "./selector.ts";

/** Observed error rates above this are not believed. */
const ERROR_RATE_MAX = 0.9;
/** The share of its uncertainty that a guessed model's quality loses, less the more labels there are. 0 if measured. */
const CAUTION = 0.5;

/** Places are those in `rows`, whose values are the cards' places in the table. */
export class Estimates implements Columns {
  readonly asked: Asked;
  readonly rows: Int32Array;
  readonly quality: Float64Array;
  readonly level: Float64Array;
  readonly costUsd: Float64Array;
  readonly latencyMs: Float64Array;
  readonly score: Float64Array;
  readonly champion: number;

  constructor(asked: Asked, rows: Int32Array) {
    const column = () => new Float64Array(rows.length);
    this.asked = asked;
    this.rows = rows;
    this.quality = column();
    this.level = column();
    this.costUsd = column();
    this.latencyMs = column();
    this.score = column();
    const holder = asked.table.places.get(asked.cached?.cardId ?? "");
    for (let place = 0; place < rows.length; place++) {
      const row = rows[place] ?? 0;
      this.#predict(place, row);
      this.costUsd[place] = this.estimateCost(row, row === holder ? (asked.cached?.tokens ?? 0) : 0);
      this.latencyMs[place] = this.estimateMs(row);
    }
    this.#lower();
    this.champion = findChampion(this);
  }

  readonly cardAt = (place: number) => {
    const card = this.asked.table.cards[this.rows[place] ?? -1];
    if (card === undefined) throw new RangeError("There is no such candidate.");
    return card;
  };

  /** Returns the place of a card, or −1 if it isn't one of these. */
  find(id: string): number {
    return this.rows.indexOf(this.asked.table.places.get(id) ?? -1);
  }

  #predict(place: number, row: number): void {
    const { table, shiftAt, quality: ask } = this.asked;
    const { odds, oddsSpreads, oddsLevel, level, isGuessed } = table;
    const shift = shiftAt(row);
    const works = this.findWorkingShare(row);
    const from = row * ask.skills.length;
    const before = expect(odds, from, oddsLevel[row] ?? 0, ask);
    const off = isGuessed[row] === 1 ? CAUTION * computeSpread(oddsSpreads, from, shift, ask, before) : 0;
    this.quality[place] = Math.max(QUALITY_MIN, before + shift.quality - off) * works;
    this.level[place] = ((level[row] ?? 0) + shift.lift - off) * works;
  }

  /** If the best quality is above the maximum, lowers all by the same amount, because their differences decide. */
  #lower(): void {
    const { quality, level } = this;
    let off = 0;
    for (let place = 0; place < quality.length; place++)
      off = Math.max(off, (quality[place] ?? 0) - QUALITY_MAX);
    if (off === 0) return;
    for (let place = 0; place < quality.length; place++) {
      quality[place] = Math.max(0, (quality[place] ?? 0) - off);
      level[place] = Math.max(0, (level[place] ?? 0) - off);
    }
  }

  /** The share of answers that don't fail. One that fails isn't good. */
  findWorkingShare(row: number): number {
    return 1 - Math.min(ERROR_RATE_MAX, this.asked.seenAt(row)?.errorRate ?? 0);
  }

  /** The thinking expected by the profile alone, in tokens. */
  estimateThought(row: number): number {
    const { table, input, prediction } = this.asked;
    const usual = table.thinkingTokens[row] ?? 0;
    return estimateThoughtTokens(usual, input.request.reasoning_effort, prediction.difficultyLogit);
  }

  /** Returns the expected tokens of the answer, without thinking. */
  #estimateAnswer(row: number): number {
    const { prediction, lengthAt, outputTokensMax = Number.POSITIVE_INFINITY } = this.asked;
    return Math.min(prediction.outputTokens * lengthAt(row), outputTokensMax);
  }

  /** Returns USD with this many prompt tokens in the provider's cache, of an answer `times` as long. 0 without a price. */
  estimateCost(row: number, held: number, times = 1): number {
    const { table, promptTokens, lengthAt } = this.asked;
    const price = table.prices[row] ?? null;
    const thought = this.estimateThought(row) * lengthAt(row);
    if (price === null) return 0;
    return estimateCost(price, promptTokens, held, times * this.#estimateAnswer(row), times * thought);
  }

  /** Returns the time of an answer `times` as long, by live health if known, else by the profile. */
  estimateMs(row: number, times = 1): number {
    const { table, seenAt, lengthAt } = this.asked;
    const seen = seenAt(row);
    const first = seen?.firstTokenMs ?? table.firstTokenMs[row] ?? 0;
    const speed = seen?.tokensPerSecond ?? table.tokensPerSecond[row] ?? 0;
    const thought = this.estimateThought(row) * lengthAt(row);
    const tokens = times * this.#estimateAnswer(row) + times * thought;
    return estimateMs(first, speed, seen?.errorRate ?? 0, tokens);
  }
}
