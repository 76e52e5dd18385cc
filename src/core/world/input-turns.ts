// Turns of the event loop: an input is read in parts that take a few milliseconds, so that single requests pass in between.

/** Some 300 of the shortest lines, whose texts are parsed at once. */
const TURN_BYTES = 32_768;

type NextTurn = (task: () => void) => void;

/** Yields the bytes of an input in parts, each in a turn of its own. */
export async function* takeTurns(
  input: AsyncIterable<Uint8Array>,
  nextTurn: NextTurn,
): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    for (let at = 0; at < piece.length; at += TURN_BYTES) {
      yield piece.subarray(at, at + TURN_BYTES);
      await endTurn(nextTurn);
    }
  }
}

export function endTurn(nextTurn: NextTurn): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}
