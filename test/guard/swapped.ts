// Shared by the tests of swapped values: hiding by the real scanner, and texts that come in pieces.
import { expect } from "bun:test";
import { joinFound } from "../../src/guard/join.ts";
import { hideText, type Placeholders, writePlaceholder } from "../../src/guard/placeholders.ts";
import type { Scanner } from "../../src/guard/scanner.ts";
import type { TextStream } from "../../src/guard/text-filter.ts";

/** Swaps what the scanner finds for placeholders. */
export function swapText(scanner: Scanner, placeholders: Placeholders, text: string): string {
  return hideText(text, joinFound(scanner.search(text)), ({ detector }, value) =>
    writePlaceholder(placeholders.name(detector, value), "text"),
  );
}

export function cutAt(text: string, places: readonly number[]): readonly string[] {
  const ends = [...places, text.length];
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

/** Cuts a text at random into pieces of up to so many characters, of which some are empty. */
export function cutAtRandom(
  text: string,
  chance: (most: number) => number,
  charactersMax: number,
): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + chance(charactersMax + 1);
    pieces.push(text.slice(at, to));
    at = to;
  }
  return pieces;
}

/** Fails if a case came out otherwise. Counting each of many thousands as an expectation would take seconds. */
export function compare(given: string, actual: string, wanted: string): void {
  if (actual !== wanted) expect({ given, actual }).toEqual({ given, actual: wanted });
}

/** Returns all that leaves. */
export function feed(stream: TextStream, pieces: readonly string[]): string {
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}
