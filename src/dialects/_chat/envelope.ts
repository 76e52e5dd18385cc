// Constrained output that comes as a call's input: some models put the answer into an envelope, `{"parameters": {…}}`, as if
// they described the call (LiteLLM, issue 35677).
import type { JsonBudget } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";

/** The envelope's only property. */
export const ENVELOPE = "parameters";
const BEGINNING = `{"${ENVELOPE}":`;
const SPACES = /\s+/g;

/** Reads the text of an answer piece by piece. The beginning is held until it can't be an envelope's. */
export class EnvelopeReader {
  readonly #mayUnwrap: boolean;
  #held = "";
  #isPlain: boolean;

  /** `mayUnwrap` is false if the answer's own schema has a property of that name. */
  constructor(mayUnwrap: boolean) {
    this.#mayUnwrap = mayUnwrap;
    this.#isPlain = !mayUnwrap;
  }

  push(piece: string): string {
    if (this.#isPlain) return piece;
    this.#held += piece;
    const begun = this.#held.slice(0, 100).replace(SPACES, "");
    if (begun.startsWith(BEGINNING) || BEGINNING.startsWith(begun)) return "";
    this.#isPlain = true;
    return this.#held;
  }

  /** Returns what was held, without its envelope. */
  end(json: JsonBudget): string {
    if (this.#isPlain || !this.#mayUnwrap) return "";
    const held = this.#held.trim();
    const given = json.parseObject(held);
    const isEnvelope = given !== undefined && Object.keys(given).length === 1 && isObject(given[ENVELOPE]);
    // The characters themselves, since numbers may be longer than a double holds.
    return isEnvelope ? held.slice(held.indexOf(":") + 1, held.lastIndexOf("}")).trim() : this.#held;
  }
}
