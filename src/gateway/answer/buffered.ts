// Decouples an answer from its client: it is finished even if the client leaves.
import { estimateLength } from "../../core/json/rough-length.ts";
import { type AnswerFlow, Pause, type Take } from "./flow.ts";

/** Bounds on what is buffered for a slow client: this many parts and this many characters, plus one part. */
const WAITING_PARTS_MAX = 256;
const WAITING_CHARACTERS_MAX = 1024 * 1024;

/**
 * Leaving early only stops the reading: the answer is still finished. A slow client slows it down. `onUnread` gets a failure
 * that the reader left before.
 */
export function bufferFlow<Part>(
  parts: AnswerFlow<Part>,
  onUnread: (thrown: unknown) => void,
): AnswerFlow<Part> {
  const buffer = new AnswerBuffer(parts, onUnread);
  void buffer.fill();
  return buffer;
}

/** The parts of an answer that was read further than its client has taken. */
class AnswerBuffer<Part> implements AnswerFlow<Part> {
  readonly #parts: AnswerFlow<Part>;
  readonly #onUnread: (thrown: unknown) => void;
  readonly #waiting: { readonly part: Part; readonly length: number }[] = [];
  readonly #failures: unknown[] = [];
  readonly #arrival = new Pause();
  readonly #room = new Pause();
  #characters = 0;
  #hasEnded = false;
  #isLeft = false;
  #isRead = false;

  constructor(parts: AnswerFlow<Part>, onUnread: (thrown: unknown) => void) {
    this.#parts = parts;
    this.#onUnread = onUnread;
  }

  async fill(): Promise<void> {
    try {
      await this.#parts.begin();
      await this.#parts.pour((part) => this.#keep(part));
    } catch (thrown) {
      this.#failures.push(thrown);
      this.#report();
    }
    this.#hasEnded = true;
    this.#arrival.end();
  }

  async begin(): Promise<Part | undefined> {
    while (this.#waiting.length === 0 && !this.#hasEnded) await this.#arrival.wait();
    if (this.#isLeft || this.#waiting.length > 0 || this.#failures.length === 0)
      return this.#waiting[0]?.part;
    this.#isRead = true;
    throw this.#failures[0];
  }

  async pour(take: Take<Part>): Promise<void> {
    for (await this.begin(); this.#waiting.length > 0; await this.begin()) {
      const first = this.#waiting.shift();
      if (first === undefined || this.#isLeft) return;
      this.#characters -= first.length;
      if (!this.#isFull()) this.#room.end();
      await take(first.part);
    }
  }

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#room.end();
    this.#report();
  }

  #keep(part: Part): Promise<void> | null {
    if (this.#isLeft) return null;
    const length = estimateLength(part);
    this.#waiting.push({ part, length });
    this.#characters += length;
    this.#arrival.end();
    return this.#isFull() ? this.#room.wait() : null;
  }

  #isFull(): boolean {
    return this.#waiting.length >= WAITING_PARTS_MAX || this.#characters >= WAITING_CHARACTERS_MAX;
  }

  #report(): void {
    if (this.#isLeft && !this.#isRead) for (const thrown of this.#failures) this.#onUnread(thrown);
  }
}
