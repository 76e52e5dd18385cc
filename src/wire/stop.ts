// Stop sequences for providers that take none: the text is cut where the model should have stopped.
import type { ChatChunk, ChunkChoice } from "../core/chat.ts";

/** The text of one choice up to the first stop sequence. What may be the beginning of one is held back. */
class Cut {
  readonly #stops: readonly string[];
  #held = "";
  stopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** What of the text so far may leave. */
  push(text: string): string {
    if (this.stopped) return "";
    const all = this.#held + text;
    const found = this.#stops.map((stop) => all.indexOf(stop)).filter((at) => at !== -1);
    if (found.length > 0) {
      this.stopped = true;
      this.#held = "";
      return all.slice(0, Math.min(...found));
    }
    const keep = Math.max(...this.#stops.map((stop) => beginningAtEnd(all, stop)));
    this.#held = all.slice(all.length - keep);
    return all.slice(0, all.length - keep);
  }

  /** What was held back and turned out to be text. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The length of the longest beginning of `stop`, short of the whole, that `text` ends with. */
function beginningAtEnd(text: string, stop: string): number {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Cuts the chunks of an answer at the stop sequences, and finishes a choice that was cut with `stop`. The upstream goes
 * on to its own end, so that its report of usage is the one that it bills.
 */
export class StopCutter {
  readonly #stops: readonly string[];
  readonly #cuts = new Map<number, Cut>();

  /** Empty stops stop nothing. */
  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  push(chunks: readonly ChatChunk[]): readonly ChatChunk[] {
    if (this.#stops.length === 0) return chunks;
    return chunks.map((chunk) => ({
      ...chunk,
      choices: chunk.choices.map((choice) => this.#choice(choice)),
    }));
  }

  #choice(choice: ChunkChoice): ChunkChoice {
    const cut = this.#cutOf(choice.index);
    const { content, tool_calls: calls, ...rest } = choice.delta;
    const text = cut.push(content ?? "") + (choice.finish_reason === null ? "" : cut.end());
    const delta = { ...rest, ...(text === "" ? {} : { content: text }) };
    if (!cut.stopped) return { ...choice, delta: calls ? { ...delta, tool_calls: calls } : delta };
    return { ...choice, delta, finish_reason: choice.finish_reason === null ? null : "stop" };
  }

  #cutOf(index: number): Cut {
    const known = this.#cuts.get(index);
    if (known) return known;
    const cut = new Cut(this.#stops);
    this.#cuts.set(index, cut);
    return cut;
  }
}
