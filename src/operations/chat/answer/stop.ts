// Stop sequences for providers without support: the text is cut where the model should have stopped.
import { makeFinish } from "../finish.ts";
import type { ChatChunk, ChunkChoice } from "../form.ts";

/** Tracks how much of a stop sequence the text so far ends with, in linear time (Knuth, Morris and Pratt). */
class StopMatch {
  readonly stop: string;
  /** For each matched length of the stop: the longest shorter prefix that it ends with. */
  readonly #borders = [0, 0];
  length = 0;

  constructor(stop: string) {
    this.stop = stop;
  }

  get isComplete(): boolean {
    return this.length === this.stop.length;
  }

  /** Advances by one character. */
  step(code: number): void {
    if (this.length === 0 && this.stop.charCodeAt(0) !== code) return;
    this.length = this.#extend(this.length, code);
    if (this.length < this.#borders.length) return;
    this.#borders.push(this.#extend(this.#findBorder(this.length - 1), code));
  }

  /** Returns the longest prefix matched after adding `code` to a match of `length`. */
  #extend(length: number, code: number): number {
    let longest = length;
    while (longest > 0 && this.stop.charCodeAt(longest) !== code) longest = this.#findBorder(longest);
    return this.stop.charCodeAt(longest) === code ? longest + 1 : 0;
  }

  #findBorder(length: number): number {
    return this.#borders[length] ?? 0;
  }
}

/** The text of one choice up to the first stop sequence. Text that may begin one is held back. */
class StopCut {
  readonly #matches: readonly StopMatch[];
  #held = "";
  /** The matched stop sequence. */
  stop: string | null = null;

  constructor(stops: readonly string[]) {
    this.#matches = stops.map((stop) => new StopMatch(stop));
  }

  get isStopped(): boolean {
    return this.stop !== null;
  }

  /** Returns the text that can be sent. */
  push(text: string): string {
    if (this.isStopped) return "";
    const all = this.#held + text;
    const end = this.#held.length + this.#findEnd(text);
    // The longest of the sequences that end here counts. Sequences that are still incomplete don't.
    const back = this.#matches
      .filter(({ isComplete }) => isComplete === this.isStopped)
      .map(({ length }) => length);
    const ready = end - Math.max(...back);
    this.#held = this.isStopped ? "" : all.slice(ready);
    return all.slice(0, ready);
  }

  /** Returns the text held back that did not become a stop sequence. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    for (const match of this.#matches) match.length = 0;
    return rest;
  }

  /** Reads to the end of the first stop sequence, or of the text. */
  #findEnd(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      for (const match of this.#matches) {
        match.step(code);
        if (match.isComplete && match.length > (this.stop?.length ?? 0)) this.stop = match.stop;
      }
      if (this.isStopped) return at + 1;
    }
    return text.length;
  }
}

/**
 * Cuts an answer's chunks at the stop sequences, and finishes a choice that was cut with `stop`. The upstream continues
 * to its end, so that its usage report is the one it bills.
 */
export class StopCutter {
  readonly #stops: readonly string[];
  readonly #cuts = new Map<number, StopCut>();

  /** Empty stop sequences are ignored. */
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
    const cut = this.#cuts.getOrInsertComputed(choice.index, () => new StopCut(this.#stops));
    const { content, tool_calls: calls, ...rest } = choice.delta;
    // Stop sequences don't span calls, and earlier text must be sent before a call.
    const isOver = choice.finish_reason !== null || Boolean(calls?.length);
    const text = cut.push(content ?? "") + (isOver ? cut.end() : "");
    const delta = { ...rest, ...(text === "" ? {} : { content: text }) };
    if (cut.stop === null) return { ...choice, delta: calls ? { ...delta, tool_calls: calls } : delta };
    const { finish_reason: reason, native_finish_reason: _, stop_sequence: __, ...said } = choice;
    return {
      ...said,
      delta,
      ...(reason === null ? { finish_reason: null } : makeFinish("stop", null, cut.stop)),
    };
  }
}
