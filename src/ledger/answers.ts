// The store's answers to demands, and the error of one that doesn't match its demand.
import type { AdmissionAnswer, Answer, SettlementAnswer } from "../core/demand.ts";

export function makeAnswerError(answer: Answer): Error {
  return new Error(`The store's answer does not match the demand: ${answer.kind}.`);
}

/** Throws the Fault of a refusal, or returns it if the request had entered and that is undone. */
export function requireAdmitted(answer: Answer, isEntered: boolean): AdmissionAnswer {
  switch (answer.kind) {
    case "granted":
    case "replayed":
    case "pending":
    case "moved":
      return answer;
    case "refused":
      if (isEntered && !answer.isUndecided) return answer;
      throw answer.fault;
    case "lacking":
    case "settled":
    case "unread":
    case "unnoted":
    case "funded":
    case "checkout":
    case "reset":
      throw makeAnswerError(answer);
  }
}

export function requireSettled(answer: Answer): SettlementAnswer {
  if (answer.kind !== "settled") throw makeAnswerError(answer);
  return answer;
}
