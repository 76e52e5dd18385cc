// A streamed answer as chat.completion.chunk events.
import type { JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { type Part, Run, Verbatim } from "../../operations/chat/answer/run.ts";
import type { ChatChunk } from "../../operations/chat/form.ts";
import { DATA_LINES, dataLine } from "../event-stream.ts";
import type { Stamp, Writer } from "../surface.ts";
import { showChunk } from "./citations.ts";
import { type ShownChunk, withFunctionCalls } from "./function-call.ts";

interface ChunkOptions {
  readonly includeUsage: boolean;
  /** True if the client offered its functions in the deprecated form. */
  readonly offersFunctions: boolean;
  readonly seal: Sealer;
}

export function makeChunkWriter(stamp: () => Stamp, options: ChunkOptions): Writer<Part> {
  let lines: AnswerLines | null = null;
  const write = (parts: readonly Part[]) => {
    lines ??= new AnswerLines(stampFields(stamp()));
    let text = "";
    for (const part of options.offersFunctions ? withFunctionCalls(parts) : parts)
      text += writePart(lines, part, options);
    return text;
  };
  return { ...DATA_LINES, write };
}

function writePart(to: AnswerLines, part: Part | ShownChunk, options: ChunkOptions): string {
  if (part instanceof Run) return to.run(part);
  if (!(part instanceof Verbatim)) return writeChunk(to, part, options);
  return part.meaning.map((chunk) => writeChunk(to, chunk, options)).join("");
}

function writeChunk(
  to: AnswerLines,
  chunk: ChatChunk | ShownChunk,
  { includeUsage, seal }: ChunkOptions,
): string {
  const isUnasked = chunk.choices.length === 0 && chunk.usage && !includeUsage;
  const shown = isUnasked ? null : showChunk(chunk, seal);
  return shown === null ? "" : to.chunk(shown);
}

function stampFields({ id, created, model }: Stamp): JsonObject {
  return { id, object: "chat.completion.chunk", created, model };
}

/** Writes an answer's chunks as events, each with the answer's own fields before the chunk's. */
class AnswerLines {
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

  /** The text around a run's texts rarely changes, so it is cached: this saves 0.4 of 0.5 µs a chunk. */
  run({ head, tail, texts }: Run): string {
    if (head !== this.#head || tail !== this.#tail) {
      [this.#head, this.#tail] = [head, tail];
      // Joining makes one flat string; a concatenated one would be flattened again by every write.
      this.#before = ["data: ", this.#fields, head.slice(1)].join("");
      this.#after = [tail, "\n\n"].join("");
    }
    const [only = ""] = texts;
    const all = texts.length === 1 ? only : texts.join(this.#after + this.#before);
    return this.#before + all + this.#after;
  }
}
