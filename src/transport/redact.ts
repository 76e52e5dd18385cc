// Removes the provider's secrets and addresses from the faults that clients see.
import { Fault } from "../core/fault.ts";

/** Shorter secrets are not searched for, because they would be found in any text. */
const UNSPOKEN_CHARACTERS_MIN = 6;

/** Returns the fault without these words in its message, code or parameter. */
export function redact(fault: Fault, words: readonly string[]): Fault {
  const { shownCode, param } = fault.details;
  const long = words.filter((word) => word.length >= UNSPOKEN_CHARACTERS_MIN);
  const cleaned = (text: string) => long.reduce((rest, word) => rest.replaceAll(word, "[redacted]"), text);
  const message = cleaned(fault.message);
  const isPrivate = (word: string | null | undefined) => typeof word === "string" && cleaned(word) !== word;
  if (message === fault.message && !isPrivate(shownCode) && !isPrivate(param)) return fault;
  return new Fault(fault.code, message, {
    ...fault.details,
    shownCode: isPrivate(shownCode) ? null : shownCode,
    param: isPrivate(param) ? null : param,
  });
}
