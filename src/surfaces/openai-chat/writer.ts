// A streamed answer as chat.completion.chunk events.
import type { JsonObject } from "../../core/json.ts";
import type { ChatChunk } from "../../operations/chat/form.ts";
import { type Part, Run, Verbatim } from "../../operations/chat/run.ts";
import { DATA_LINES, dataLine } from "../event-stream.ts";
import type { Stamp, Writer } from "../surface.ts";
import { separateChunkCitations } from "./citations.ts";
import { type ShownChunk, withFunctionCalls } from "./function-call.ts";

export interface ChunkOptions {
  readonly includeUsage: boolean;
  /** True if the client offered its functions in the deprecated form. */
  readonly offersFunctions: boolean;
}

export function makeChunkWriter(stamp: () => Stamp, options: ChunkOptions): Writer<Part> {
  let lines: AnswerLines | null = null;
  const writeChunk = (to: AnswerLines, chunk: ChatChunk | ShownChunk) => {
    const isUnasked = chunk.choices.length === 0 && chunk.usage && !options.includeUsage;
    return isUnasked ? "" : to.chunk(separateChunkCitations(chunk));
  };
  const write = (parts: readonly Part[]) => {
    lines ??= new AnswerLines(stampFields(stamp()));
    let before = "";
    let run: Run | null = null;
    let text = "";
    for (const part of options.offersFunctions ? withFunctionCalls(parts) : parts) {
      if (part instanceof Run) {
        before = run ? lines.run(run, before, text) : text;
        [run, text] = [part, ""];
      } else if (part instanceof Verbatim) for (const chunk of part.meaning) text += writeChunk(lines, chunk);
      else text += writeChunk(lines, part);
    }
    return run ? lines.run(run, before, text) : text;
  };
  return { ...DATA_LINES, write };
}

function stampFields({ id, created, model }: Stamp): JsonObject {
  return { id, object: "chat.completion.chunk", created, model };
}

/** Writes an answer's chunks as events, each with the answer's own fields before the chunk's. */
export class AnswerLines {
  /** The answer's fields as the start of a JSON object, written once instead of per chunk. */
  readonly #fields: string;
  #head = "";
  #tail = "";
  #before = "";
  #after = "";

  constructor(fields: object) {
    this.#fields = `${JSON.stringify(fields).slice(0, -1)},`;
  }

  chunk(chunk: JsonObject): string {
    return dataLine(this.#fields + JSON.stringify(chunk).slice(1));
  }

  /** Writes a run between two texts. Caching what is around its own texts saves 0.4 of 0.5 µs a chunk. */
  run({ head, tail, texts }: Run, before: string, after: string): string {
    if (head !== this.#head || tail !== this.#tail) {
      [this.#head, this.#tail] = [head, tail];
      // Joining makes one flat string; a concatenated one would be flattened again by every write.
      this.#before = ["data: ", this.#fields, head.slice(1)].join("");
      this.#after = [tail, "\n\n"].join("");
    }
    const [only = ""] = texts;
    if (texts.length === 1) return before + this.#before + only + this.#after + after;
    // Both ends are part of the join: added to its result, they would have the whole text copied once more.
    const lines = [...texts];
    lines[0] = before + this.#before + lines[0];
    lines[lines.length - 1] += this.#after + after;
    return lines.join(this.#after + this.#before);
  }
}
