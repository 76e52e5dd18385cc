// Attributes that requests have in common, such as a key with its account: they are written once and copied from then on.
import { OtlpWriter } from "./otlp-json.ts";

/** Phrases of the same first value: a key asks several ways, a model answers several names. */
const ALIKE_MAX = 8;
const PHRASES_MAX = 500;
/** Clients choose some of the values. Longer ones are written each time. */
const BYTES_MAX = 2000;

interface Phrase<Values> {
  readonly values: Values;
  readonly bytes: Uint8Array;
}

/** Remembers attributes by the values that they are written from. `write` must depend on nothing else. */
export class Phrases<Values extends readonly unknown[]> {
  readonly #write: (to: OtlpWriter, ...values: Values) => void;
  readonly #known = new Map<unknown, Phrase<Values>[]>();
  readonly #writer = new OtlpWriter();
  #count = 0;

  constructor(write: (to: OtlpWriter, ...values: Values) => void) {
    this.#write = write;
  }

  /** The first value should be the one that differs most. */
  find(...values: Values): Uint8Array {
    const alike = this.#known.get(values[0]);
    if (alike !== undefined) for (const known of alike) if (isSame(known.values, values)) return known.bytes;
    return this.#learn(values);
  }

  #learn(values: Values): Uint8Array {
    this.#write(this.#writer, ...values);
    const bytes = this.#writer.take();
    if (bytes.length > BYTES_MAX) return bytes;
    if (this.#count >= PHRASES_MAX) {
      this.#known.clear();
      this.#count = 0;
    }
    const alike = this.#known.getOrInsertComputed(values[0], () => []);
    if (alike.length >= ALIKE_MAX) this.#count -= alike.splice(0).length;
    alike.push({ values, bytes });
    this.#count++;
    return bytes;
  }
}

function isSame(known: readonly unknown[], values: readonly unknown[]): boolean {
  // From the end: the first values are equal.
  for (let at = known.length - 1; at > 0; at--) if (known[at] !== values[at]) return false;
  return true;
}
