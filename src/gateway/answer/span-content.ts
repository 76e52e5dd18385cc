// Prompt and answer of a request for its spans: as the provider was sent the one and gave the other, without a step's changes.
import { type SpanMessages, writeInput, writeOutput } from "../../core/log/span-messages.ts";
import { AnswerCollector, type CollectedReader, type ShownAnswer } from "../../operations/collected.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Later } from "../step.ts";
import { type SteppedCall, writeHidden } from "./hide-logged.ts";

/** Longer answers are not exported. */
const CHARACTERS_MAX = 256 * 1024;

export class SpanContent<F extends Form> {
  readonly #operation: Operation<F>;
  #answer: CollectedReader<F>;
  /** The answer before the steps. Null if there are none around it: it is then the one that is shown. */
  #given: AnswerCollector<F> | null = null;
  #input: Omit<SpanMessages, "output"> | null = null;

  constructor(operation: Operation<F>, { shown }: ShownAnswer<F>) {
    this.#operation = operation;
    this.#answer = shown.read(isShort);
  }

  /** Reads what is given to `add`, because steps around the answer may show another. */
  separate(): void {
    this.#answer.leave();
    this.#given = new AnswerCollector(() => this.#operation.fold());
    this.#answer = this.#given.read(isShort);
  }

  /** Writes the prompt at once, because a streamed request's is dropped when its answer begins. */
  takePrompt(ask: F["ask"]): void {
    this.#input ??= writeInput(this.#operation.toLog(ask).messages);
  }

  add(pieces: readonly F["piece"][]): void {
    this.#given?.add(pieces);
  }

  takeWhole(reply: F["reply"]): void {
    this.#answer.takeWhole(reply);
  }

  /** Null if no prompt was sent. */
  write(stepped: SteppedCall<F>): Later<SpanMessages | null> {
    const input = this.#input;
    if (input === null) return null;
    const { isCut } = this.#answer;
    return writeHidden(stepped, this.#answer.makeReply(), (hidden) => {
      const logged = hidden && this.#operation.toLogged(hidden);
      const output = logged && writeOutput(logged);
      const isTruncated = input.isTruncated || isCut || output?.isTruncated === true;
      return { ...input, output: output?.text ?? null, isTruncated };
    });
  }
}

function isShort(_added: number, characters: number): boolean {
  return characters <= CHARACTERS_MAX;
}
