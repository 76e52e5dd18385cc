// A buffer between the making of an answer and its client: the answer is made to its end whether or not the client waits.
import type { Batches } from "./batches.ts";

/** The most that waits for a client that reads slowly: so many parts, of so many characters together, and the one that came last. */
const WAITING_PARTS_MAX = 256;
const WAITING_CHARACTERS_MAX = 1024 * 1024;

/**
 * The parts as they are made; leaving early only stops the reading, never the making. A client that reads slowly slows
 * the making down.
 */
export function buffered<Part>(parts: Batches<Part>): Batches<Part> {
  const waiting: { readonly part: Part; readonly length: number }[] = [];
  let characters = 0;
  let ended = false;
  const failures: unknown[] = [];
  let left = false;
  let wakeReader = () => {};
  let wakeMaker = () => {};

  const isFull = () => waiting.length >= WAITING_PARTS_MAX || characters >= WAITING_CHARACTERS_MAX;

  const make = async () => {
    try {
      for (let part = await parts.next(); part !== null; part = await parts.next()) {
        if (left) continue;
        const { length } = JSON.stringify(part);
        waiting.push({ part, length });
        characters += length;
        wakeReader();
        while (isFull() && !left) {
          await new Promise<void>((resolve) => {
            wakeMaker = resolve;
          });
        }
      }
    } catch (thrown) {
      failures.push(thrown);
    }
    ended = true;
    wakeReader();
  };

  const next = async () => {
    while (waiting.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    const first = waiting.shift();
    if (first === undefined && failures.length > 0) throw failures[0];
    if (first === undefined) return null;
    characters -= first.length;
    wakeMaker();
    return first.part;
  };

  const leave = () => {
    left = true;
    wakeMaker();
  };

  void make();
  return { next, leave };
}
