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
  const waiting: { readonly part: Part; readonly length: number }[] = [];
  let characters = 0;
  const failures: unknown[] = [];
  let ended = false;
  let left = false;
  let isRead = false;
  const arrival = new Pause();
  const room = new Pause();

  const isFull = () => waiting.length >= WAITING_PARTS_MAX || characters >= WAITING_CHARACTERS_MAX;

  const keep = (part: Part) => {
    if (left) return null;
    const length = estimateLength(part);
    waiting.push({ part, length });
    characters += length;
    arrival.end();
    return isFull() ? room.wait() : null;
  };

  const report = () => {
    if (left && !isRead) for (const thrown of failures) onUnread(thrown);
  };

  const make = async () => {
    try {
      await parts.begin();
      await parts.pour(keep);
    } catch (thrown) {
      failures.push(thrown);
      report();
    }
    ended = true;
    arrival.end();
  };

  const begin = async () => {
    while (waiting.length === 0 && !ended) await arrival.wait();
    if (left || waiting.length > 0 || failures.length === 0) return waiting[0]?.part;
    isRead = true;
    throw failures[0];
  };

  const pour = async (take: Take<Part>) => {
    for (await begin(); waiting.length > 0; await begin()) {
      const first = waiting.shift();
      if (first === undefined || left) return;
      characters -= first.length;
      if (!isFull()) room.end();
      await take(first.part);
    }
  };

  const leave = () => {
    if (left) return;
    left = true;
    room.end();
    report();
  };

  void make();
  return { begin, pour, leave };
}
