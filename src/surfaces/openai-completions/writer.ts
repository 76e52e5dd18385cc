// A streamed completion as events whose choices hold text.
import { errorBody, type Fault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json.ts";
import { listChunks, type Part } from "../../operations/chat/run.ts";
import { DONE_LINE, dataLine, KEEP_ALIVE_LINE } from "../event-stream.ts";
import type { Stamp, Writer } from "../surface.ts";

/** Returns a choice in the form of completions. */
export function writeChoice(choice: JsonObject, content: unknown): JsonObject {
  const { index, finish_reason, text_logprobs } = choice;
  const text = typeof content === "string" ? content : "";
  return { text, index, logprobs: text_logprobs ?? null, finish_reason };
}

export class TextWriter implements Writer<Part> {
  readonly keepAlive = KEEP_ALIVE_LINE;
  readonly #stamp: () => Stamp;
  readonly #includeUsage: boolean;
  #head: JsonObject | null = null;

  constructor(stamp: () => Stamp, includeUsage: boolean) {
    this.#stamp = stamp;
    this.#includeUsage = includeUsage;
  }

  write(parts: readonly Part[]): string {
    this.#head ??= makeHead(this.#stamp());
    const head = this.#head;
    return listChunks(parts)
      .map(({ choices, usage }) => {
        if (choices.length === 0) {
          return usage && this.#includeUsage ? writeEvent({ ...head, choices: [], usage }) : "";
        }
        const said = choices.filter(({ delta, finish_reason }) => finish_reason !== null || delta.content);
        const written = said.map((choice) => writeChoice(choice, choice.delta.content));
        return written.length === 0 ? "" : writeEvent({ ...head, choices: written });
      })
      .join("");
  }

  end(): string {
    return DONE_LINE;
  }

  fail(fault: Fault): string {
    return writeEvent({ ...errorBody(fault) });
  }
}

function makeHead({ id, created, model }: Stamp): JsonObject {
  return { id, object: "text_completion", created, model };
}

function writeEvent(event: JsonObject): string {
  return dataLine(JSON.stringify(event));
}
