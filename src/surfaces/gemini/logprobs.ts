// Log probabilities as Gemini's `logprobsResult` and `avgLogprobs`.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../core/json/json.ts";

/** The mean of a candidate's log probabilities, over all of its parts. */
export class LogprobMean {
  #sum = 0;
  #count = 0;

  /** Returns the fields of one part of a candidate. Empty if the answer has no log probabilities. */
  write(value: unknown): JsonObject {
    const tokens = asArray(asObject(value).content).map(asObject);
    if (tokens.length === 0) return {};
    for (const { logprob } of tokens) this.#sum += asNumber(logprob) ?? 0;
    this.#count += tokens.length;
    const topCandidates = tokens.map(({ top_logprobs: top }) => ({
      candidates: asArray(top).map(writeToken),
    }));
    return { logprobsResult: { topCandidates, chosenCandidates: tokens.map(writeToken) } };
  }

  /** Returns the field of the last part. */
  writeMean(): JsonObject {
    return this.#count === 0 ? {} : { avgLogprobs: this.#sum / this.#count };
  }
}

function writeToken(value: unknown): JsonObject {
  const { token, logprob } = asObject(value);
  return { token: asString(token) ?? "", logProbability: asNumber(logprob) ?? 0 };
}
