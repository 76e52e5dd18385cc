// The lengths of each model's answers, compared with the predicted ones.
import { CardMap, type Places } from "../core/world/card-map.ts";
import { LENGTH_SPREAD } from "../selectors/knowledge.ts";
import type { Prediction } from "../selectors/text/predictor.ts";
import { clampMagnitude } from "./algebra.ts";

const START = 8;
/** Beyond this many answers, older ones fade out exponentially. */
const ANSWERS_MAX = 500;
/** One answer's length counts as at most e² times the predicted one, and at least e⁻² times. */
const LENGTH_MAX = 2;

/** Answers of known length, and the sums of ln(actual / predicted length) and of its square. */
const NONE = { answers: 0, times: 0, squares: 0 };
type Lengths = typeof NONE;

export class AnswerLengths {
  readonly #lengths = new CardMap<Lengths>();

  /** Learns from an answer's length in tokens, compared with the expected one. */
  fold(asked: Pick<Prediction, "outputTokens">, model: string, tokens: number): void {
    if (!(tokens > 0)) return;
    const lengths = this.#lengths.get(model) ?? { ...NONE };
    this.#lengths.set(model, lengths);
    const left = lengths.answers < ANSWERS_MAX ? 1 : 1 - 1 / ANSWERS_MAX;
    lengths.answers = left * lengths.answers + 1;
    const times = clampMagnitude(Math.log(tokens / Math.max(1, asked.outputTokens)), LENGTH_MAX);
    lengths.times = left * lengths.times + times;
    lengths.squares = left * lengths.squares + times * times;
  }

  /** Returns the expected ratio of the card's answers' length to the predicted one. */
  of(model: string): number {
    return expectLength(this.#lengths.get(model));
  }

  by(places: Places): (place: number) => number {
    const listed = this.#lengths.listBy(places);
    return (place) => expectLength(listed[place]);
  }

  /** Returns the standard deviation of ln(actual / expected length) of the card's answers. */
  spreadOf(model: string): number {
    const { answers, times, squares } = this.#lengths.get(model) ?? NONE;
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

function expectLength(lengths: Lengths | undefined): number {
  return lengths === undefined ? 1 : Math.exp(lengths.times / (lengths.answers + START));
}
