// An answer that is made to its end whether or not its client waits for it, because others may ask for the same.

/** What waits for a client that reads slowly: so many parts, of so many characters together, and the one that came last. */
const WAITING_PARTS_MAX = 256;
const WAITING_CHARACTERS_MAX = 1024 * 1024;

/**
 * The parts as they are made; leaving early only stops the reading, never the making. A client that reads slowly slows
 * the making down.
 */
export async function* detached<Part>(parts: AsyncGenerator<Part>): AsyncGenerator<Part> {
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
      for await (const part of parts) {
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

  void make();
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        characters -= next.length;
        wakeMaker();
        yield next.part;
      } else if (ended) break;
      else
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
    }
    if (failures.length > 0) throw failures[0];
  } finally {
    left = true;
    wakeMaker();
  }
}
