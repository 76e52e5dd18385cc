// Takes the provider's secrets and addresses out of the faults that clients see.
import { Fault } from "../core/fault.ts";

/** The shortest secret that is looked for: a shorter one would be found in any text. */
const UNSPOKEN_CHARACTERS_MIN = 6;

/** Returns the fault without these words, in its message, code and parameter alike. */
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
