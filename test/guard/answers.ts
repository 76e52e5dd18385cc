// Filters answers in pieces, with a mark in the place of each finding.
import type { AnswerScanner } from "../../src/guard/answer-search.ts";
import { joinFound, type Union } from "../../src/guard/join.ts";
import type { Scanner } from "../../src/guard/scanner.ts";
import { filterText, type TextPart } from "../../src/guard/text-filter.ts";

export const HELD_MAX = 256;

interface Found {
  readonly detector: string;
  readonly detectors: readonly string[];
  readonly value: string;
}

export interface Outcome {
  readonly text: string;
  readonly found: readonly Found[];
}

function describeUnion({ detector, detectors }: Union, value: string): Found {
  return { detector, detectors: [...detectors].sort(), value };
}

/** Cuts a text into pieces of lengths that `next` gives. */
export function cutText(text: string, next: () => number): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + next();
    pieces.push(text.slice(at, to));
    at = to;
  }
  return pieces;
}

/** Filters the pieces of a text. Fails if more is held than is allowed. */
export function filterPieces(pieces: readonly string[], scanner: AnswerScanner, before = ""): Outcome {
  const found: Found[] = [];
  let held = 0;
  const inner = scanner.begin(before, (union, value) => {
    found.push(describeUnion(union, value));
    return `[${union.detector}]`;
  });
  const count = (passed: readonly TextPart[], more: number) => {
    for (const { length } of passed) held -= length;
    held += more;
    if (held > HELD_MAX || held < 0) throw new Error(`${held} characters are held`);
    return passed;
  };
  const stream = filterText({
    push: (text) => count(inner.push(text), text.length),
    end: () => count(inner.end(), 0),
  });
  const text = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
  if (held !== 0) throw new Error(`${held} characters never left`);
  return { text, found };
}

/** The same with a request's search. */
export function filterWhole(text: string, scanner: Scanner): Outcome {
  const found: Found[] = [];
  let left = "";
  let at = 0;
  for (const union of joinFound(scanner.search(text))) {
    found.push(describeUnion(union, text.slice(union.from, union.to)));
    left += `${text.slice(at, union.from)}[${union.detector}]`;
    at = union.to;
  }
  return { text: left + text.slice(at), found };
}
