// Copies the events that were written for a text of an answer, for the texts that follow it.

import { Run } from "../operations/chat/answer/run.ts";
import type { ChatChunk } from "../operations/chat/form.ts";

/** The numbers of a writer's events. */
interface Numbers {
  /** The number of the next event. */
  next: number;
}

const NUMBER = '"sequence_number":';
/** After this many texts in a row that give nothing to copy, learning stops. */
const PATIENCE = 8;
/** Once copied texts are longer than this, the writer gets them. */
const COPIED_CHARACTERS_MAX = 2048;

/** The events that were written for a text. */
interface CopiedSample {
  readonly text: string;
  /** The chunk's JSON around the text. */
  readonly head: string;
  readonly tail: string;
  /** Up to the event's number, or up to the text if it has none. */
  readonly before: string;
  /** Between number and text. */
  readonly middle: string;
  readonly after: string;
}

/**
 * Learns from the events that a writer writes for two texts of the same kind. If they differ only in the text, and in a number
 * that counts up, those of the texts that follow are copies, made without the writer. Before it writes anything else, it gets the
 * copied texts as one chunk.
 */
export class EventCopier {
  readonly #numbers: Numbers | null;
  #last: CopiedSample | null = null;
  /** The sample that is copied. Null if anything else has been written since. */
  #template: CopiedSample | null = null;
  /** Between the texts of two copies, or between a text and the next number. */
  #between = "";
  #patience = PATIENCE;
  /** The copied texts that the writer hasn't got yet. */
  #copied = "";

  /** `numbers` are those of the events, if they have any. */
  constructor(numbers: Numbers | null = null) {
    this.#numbers = numbers;
  }

  /** True if the texts of the run can be copied. */
  isKnown({ head, tail }: Run): boolean {
    return this.#template !== null && this.#template.head === head && this.#template.tail === tail;
  }

  /** True if there are copied texts that the writer hasn't got yet. */
  get hasCopied(): boolean {
    return this.#copied !== "";
  }

  /** True if the writer must get them now, whatever comes next. */
  get isFull(): boolean {
    return this.#copied.length > COPIED_CHARACTERS_MAX;
  }

  /** Takes the events that the writer has just written for a text of the run. */
  learn({ head, tail }: Run, text: string, { choices }: ChatChunk, written: string): void {
    if (this.#patience === 0) return;
    this.#patience--;
    // Log probabilities are kept text by text.
    const around = choices.some(({ logprobs }) => logprobs) ? null : this.#takeApart(text, written);
    if (around === null) return;
    const sample = { head, tail, ...around };
    const last = this.#last;
    this.#last = sample;
    if (last === null || !areAlike(last, sample)) return;
    this.#patience = PATIENCE;
    this.#template = sample;
    // Joining makes one flat string; a concatenated one would be flattened again by every copy.
    this.#between = [sample.after, sample.before].join("");
  }

  /** Returns the events of the run's texts from this one on. */
  copy(run: Run, from: number): string {
    const texts = from === 0 ? run.texts : run.texts.slice(from);
    if (this.#template === null || texts.length === 0) return "";
    // A single text would keep all of its read alive, too.
    this.#copied = [this.#copied, from === 0 ? run.text : texts.join("")].join("");
    const { before, middle, after } = this.#template;
    if (this.#numbers === null) return before + texts.join(this.#between) + after;
    const pieces: (string | number)[] = [];
    let lead = before;
    for (const text of texts) {
      pieces.push(lead, this.#numbers.next++, middle, text);
      lead = this.#between;
    }
    pieces.push(after);
    return pieces.join("");
  }

  /** Passes the copied texts to the writer as one chunk. Its events are dropped, since theirs have been sent. */
  flush(write: (chunk: ChatChunk) => string): void {
    if (this.#template === null || !this.hasCopied) return;
    const { head, tail } = this.#template;
    const text = this.#copied;
    this.#copied = "";
    const next = this.#numbers?.next;
    write(new Run(head, tail, [text]).joined());
    if (this.#numbers !== null && next !== undefined) this.#numbers.next = next;
  }

  /** The next text may be written in another way. Call `flush` before it. */
  forget(): void {
    this.#template = null;
  }

  /** Returns the events around number and text. Null if they aren't found, or not once. */
  #takeApart(said: string, written: string): Omit<CopiedSample, "head" | "tail"> | null {
    const literal = `"${said}"`;
    const at = written.indexOf(literal);
    if (at === -1 || at !== written.lastIndexOf(literal)) return null;
    const start = written.slice(0, at + 1);
    const after = written.slice(at + literal.length - 1);
    // The text as it came would keep all of its read alive.
    const text = written.slice(start.length, -after.length);
    if (this.#numbers === null) return { text, before: start, middle: "", after };
    const number = `${NUMBER}${this.#numbers.next - 1},`;
    const numberAt = start.indexOf(number);
    if (numberAt === -1) return null;
    const before = start.slice(0, numberAt + NUMBER.length);
    return { text, before, middle: start.slice(numberAt + number.length - 1), after };
  }
}

function areAlike(one: CopiedSample, other: CopiedSample): boolean {
  return (
    one.text !== other.text &&
    one.head === other.head &&
    one.tail === other.tail &&
    one.before === other.before &&
    one.middle === other.middle &&
    one.after === other.after
  );
}
