// Positions in texts of which parts were replaced, in each way of counting and however the texts are cut.
import { expect, test } from "bun:test";
import { type PositionUnit, TextMoves, type TextPosition } from "../../../src/core/text/moves.ts";

const PLACE = { kind: "text", path: "text" };

interface Part {
  readonly text: string;
  readonly by: string | null;
}

/** A filter that replaces these parts, each once all of it has come. */
function makeFilter(parts: readonly Part[]) {
  const left = parts.map(({ text, by }) => ({ length: text.length, by }));
  let waiting = 0;
  return {
    push(text: string) {
      waiting += text.length;
      let done = 0;
      for (; done < left.length && (left[done]?.length ?? 0) <= waiting; done++)
        waiting -= left[done]?.length ?? 0;
      return left.splice(0, done);
    },
    end: () => left.splice(0),
  };
}

function pass(moves: TextMoves, parts: readonly Part[], step: number, place = PLACE): void {
  const filter = moves.watch(place, makeFilter(parts));
  const text = parts.map((part) => part.text).join("");
  for (let at = 0; at < text.length; at += step) filter.push(text.slice(at, at + step));
  filter.end();
}

const COUNTS: Readonly<Record<string, (text: string) => number>> = {
  units: (text) => text.length,
  points: (text) => [...text].length,
  bytes: (text) => Buffer.byteLength(text),
};

const PARTS: readonly Part[] = [
  { text: "Grüße 🙂🙂 an ", by: null },
  { text: "<EMAIL_3K9P0QRT>", by: "ada@corp.example" },
  { text: " und ", by: null },
  { text: "NAME", by: "Zoë" },
  { text: "[CARD]", by: "" },
  { text: ", 東京 🙂.", by: null },
];

function listEdges(count: (text: string) => number): readonly (readonly [number, number])[] {
  let [before, after] = [0, 0];
  return PARTS.map(({ text, by }) => {
    before += count(text);
    after += count(by ?? text);
    return [before, after];
  });
}

test.each([
  ["characters", "units", 1],
  ["characters", "points", 3],
  ["bytes", "bytes", 7],
] as const)(
  "the ends of parts are where they were, %s as %s, cut every %i",
  (unit: PositionUnit, counted, step) => {
    const moves = new TextMoves();
    pass(moves, PARTS, step);
    const edges = listEdges(COUNTS[counted] ?? (() => 0));
    for (const [at, now] of edges) expect(moves.move({ paths: ["text"], edge: "end", unit, at })).toBe(now);
    // The start of what follows nothing is the same place.
    const [first = 0] = edges[0] ?? [];
    expect(moves.move({ paths: ["text"], edge: "start", unit, at: first })).toBe(first);
  },
);

test("a position within a replaced part goes to its edge", () => {
  const moves = new TextMoves();
  pass(
    moves,
    [
      { text: "To ", by: null },
      { text: "<EMAIL_3K9P0QRT>", by: "a@b.example" },
    ],
    5,
  );
  const at = { paths: ["text"], unit: "characters", at: 10 } as const;
  expect(moves.move({ ...at, edge: "start" })).toBe(3);
  expect(moves.move({ ...at, edge: "end" })).toBe(14);
});

test("positions count through the texts of several paths", () => {
  const moves = new TextMoves();
  const second = { kind: "text", path: "second" };
  pass(
    moves,
    [
      { text: "ab", by: "abab" },
      { text: "cd", by: null },
    ],
    1,
  );
  pass(
    moves,
    [
      { text: "ef", by: null },
      { text: "gh", by: "" },
      { text: "i", by: null },
    ],
    2,
    second,
  );
  const move = (at: number) =>
    moves.move({ paths: ["none", "text", "second"], edge: "end", unit: "bytes", at });
  expect([0, 2, 4, 6, 8, 9].map(move)).toEqual([0, 4, 6, 8, 8, 9]);
});

test("a position is decided once its part is, and a wrong one at once", () => {
  const moves = new TextMoves();
  const filter = moves.watch(
    PLACE,
    makeFilter([
      { text: "Hello ", by: null },
      { text: "NAME", by: "Ada Lovelace" },
    ]),
  );
  filter.push("Hello NA");
  const end = (at: number): TextPosition => ({ paths: ["text"], edge: "end", unit: "characters", at });
  expect([5, 6, 7, 8, 9].map((at) => moves.isDecided(end(at)))).toEqual([true, true, false, false, true]);
  expect([moves.isOpen, moves.isChanged]).toEqual([true, false]);
  filter.push("ME");
  expect([7, 8, 10].map((at) => moves.isDecided(end(at)))).toEqual([true, true, true]);
  expect(moves.move(end(10))).toBe(18);
  expect([moves.isOpen, moves.isChanged]).toEqual([false, true]);
});

test("thinking isn't cited, and what is replaced by itself isn't moved", () => {
  const moves = new TextMoves();
  pass(moves, [{ text: "ab", by: "c" }], 1, { kind: "thinking", path: "text" });
  pass(moves, [{ text: "ab", by: "ab" }], 1);
  expect(moves.isChanged).toBe(false);
});
