// Prompt and answer of a request for its spans: as the provider was sent the one and gave the other, without a step's changes.
import { type SpanMessages, writeInput, writeOutput } from "../../core/log/span-messages.ts";
import type { Folding } from "../../operations/folding.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";

/** Longer answers are not exported. */
const CHARACTERS_MAX = 256 * 1024;

export class SpanContent<F extends Form> {
  readonly #operation: Operation<F>;
  #folding: Folding<F> | null;
  #characters = 0;
  #input: Omit<SpanMessages, "output"> | null = null;
  #reply: F["reply"] | null = null;

  constructor(operation: Operation<F>) {
    this.#operation = operation;
    this.#folding = operation.fold();
  }

  /** Writes the prompt at once, because a streamed request's is dropped when its answer begins. */
  takePrompt(ask: F["ask"]): void {
    this.#input ??= writeInput(this.#operation.toLog(ask).messages);
  }

  add(pieces: readonly F["piece"][]): void {
    this.#characters += this.#folding?.add(pieces) ?? 0;
    if (this.#characters > CHARACTERS_MAX) this.#folding = null;
  }

  takeWhole(reply: F["reply"]): void {
    this.#reply = reply;
  }

  /** Null if no prompt was sent. */
  write(): SpanMessages | null {
    if (this.#input === null) return null;
    const reply = this.#reply ?? this.#folding?.reply() ?? null;
    const logged = reply && this.#operation.toLogged(reply);
    const output = logged && writeOutput(logged);
    const isCut = (this.#folding === null && this.#reply === null) || output?.isTruncated === true;
    return {
      ...this.#input,
      output: output?.text ?? null,
      isTruncated: this.#input.isTruncated || isCut,
    };
  }
}
