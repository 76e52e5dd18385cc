// The lengths of each model's answers, compared with the predicted ones.

import { boundShares } from "../core/health/shares.ts";
import { CardMap, type Places } from "../core/world/card-map.ts";
import { LENGTH_SPREAD } from "../selectors/knowledge.ts";
import type { Prediction } from "../selectors/text/predictor.ts";
import { clampMagnitude } from "./algebra.ts";

const START = 8;
/** Beyond this many answers of a payer, older ones fade out exponentially. */
const ANSWERS_MAX = 500;
/** One answer's length counts as at most e² times the predicted one, and at least e⁻² times. */
const LENGTH_MAX = 2;
/** Beyond this number of a model's payers, the one whose last answer is the oldest is forgotten. */
const PAYERS_MAX = 32;

/** Answers of known length, and the sums of ln(actual / predicted length) and of its square. */
const NONE = { answers: 0, times: 0, squares: 0 };
type LengthSums = typeof NONE;

/** The lengths of one model's answers, by payer. */
class ModelLengths {
  /** Those whose answers came last stand at the end. */
  readonly #payers = new Map<string, LengthSums>();
  /** The payer that asked last, and the sums that its estimates rest on. Null once they have changed. */
  #reader = "";
  #read: LengthSums | null = null;

  fold(times: number, payer: string): void {
    const lengths = this.#payers.get(payer) ?? { ...NONE };
    this.#payers.delete(payer);
    this.#payers.set(payer, lengths);
    const [oldest] = this.#payers.keys();
    if (this.#payers.size > PAYERS_MAX && oldest !== undefined) this.#payers.delete(oldest);
    const left = lengths.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    lengths.answers = left * lengths.answers + 1;
    lengths.times = left * lengths.times + times;
    lengths.squares = left * lengths.squares + times * times;
    this.#read = null;
  }

  sumUp(): LengthSums {
    return add(NONE, [...this.#payers.values()], []);
  }

  /** Returns the sums that a payer's estimates rest on: no other voice's answers are more than a quarter. */
  readFor(payer: string): LengthSums {
    if (this.#read === null || this.#reader !== payer) this.#read = this.#sumFor(payer);
    this.#reader = payer;
    return this.#read;
  }

  #sumFor(payer: string): LengthSums {
    const own = this.#payers.get(payer) ?? NONE;
    const payers = [...this.#payers].filter(([one]) => one !== payer);
    const others = payers.map(([, lengths]) => lengths);
    const weights = others.map(({ answers }) => answers);
    const names = payers.map(([one]) => one);
    return add(own, others, boundShares(own.answers + START, weights, names, payer));
  }
}

export class AnswerLengths {
  readonly #lengths = new CardMap<ModelLengths>();

  /** Learns from the length in tokens of a payer's answer, compared with the expected one. */
  fold(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number, payer: string): void {
    if (!(tokens > 0)) return;
    const lengths = this.#lengths.get(model) ?? new ModelLengths();
    this.#lengths.set(model, lengths);
    lengths.fold(clampMagnitude(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX), payer);
  }

  /** Returns the expected ratio of the card's answers' length to the predicted one, over the answers of all payers. */
  of(model: string): number {
    return expectLength(this.#lengths.get(model)?.sumUp());
  }

  /** Returns the ratio that a payer may expect, by place. */
  by(places: Places, payer: string): (place: number) => number {
    const listed = this.#lengths.listBy(places);
    return (place) => expectLength(listed[place]?.readFor(payer));
  }

  /** Returns the standard deviation of ln(actual / expected length) of the card's answers. */
  spreadOf(model: string, payer: string): number {
    const { answers, times, squares } = this.#lengths.get(model)?.readFor(payer) ?? NONE;
    const apart = answers === 0 ? 0 : Math.max(0, squares - times ** 2 / answers);
    return Math.sqrt((apart + START * LENGTH_SPREAD ** 2) / (answers + START));
  }

  models(): Iterable<string> {
    return this.#lengths.keys();
  }

  forget(model: string): void {
    this.#lengths.delete(model);
  }
}

/** Adds others' sums, of each the share that counts. */
function add(own: LengthSums, others: readonly LengthSums[], shares: readonly number[]): LengthSums {
  const sum = { ...own };
  for (const [at, { answers, times, squares }] of others.entries()) {
    const share = shares[at] ?? 1;
    sum.answers += share * answers;
    sum.times += share * times;
    sum.squares += share * squares;
  }
  return sum;
}

function expectLength(lengths: LengthSums | undefined): number {
  return lengths === undefined ? 1 : Math.exp(lengths.times / (lengths.answers + START));
}
