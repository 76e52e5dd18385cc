// The error of an answer that doesn't match its demand.
import type { Answer } from "../core/demand.ts";

export function makeAnswerError(answer: Answer): Error {
  return new Error(`The store's answer does not match the demand: ${answer.kind}.`);
}
