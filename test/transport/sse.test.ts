// The parser of server-sent events: equal events under every split, bounds on one event, linear time, any line ends.
import { describe, expect, test } from "bun:test";
import type { ServerEvent } from "../../src/core/models/dialect.ts";
import { EVENT_CHARACTERS_MAX, EVENT_LINES_MAX, EventParser } from "../../src/transport/framing/sse.ts";
import { decoded } from "../harness/decoded.ts";

const encoder = new TextEncoder();

/** Returns the parser's events for a stream that arrives in these reads. */
function parsed(reads: readonly Uint8Array[]): ServerEvent[] {
  const parser = new EventParser();
  return [...[...decoded(reads)].flatMap((read) => parser.push(read)), ...parser.end()];
}

/** The stream in one read, byte by byte, and in all splits into two and three reads. */
function* cutsOf(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
  yield [bytes];
  yield [...bytes].map((byte) => Uint8Array.of(byte));
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      yield [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
    }
  }
}

type Row = readonly [name: string, stream: string, ...events: (readonly [event: string, data: string])[]];

/** Streams with LF. Each is also tried with CRLF and CR instead. */
const ANY_LINE_END: readonly Row[] = [
  ["one event", "data: a\n\n", ["", "a"]],
  ["two events", "data: a\n\ndata: b\n\n", ["", "a"], ["", "b"]],
  ["several lines of data", "data: a\ndata:\ndata: b\n\n", ["", "a\n\nb"]],
  ["a named event", "event: ping\ndata: {}\n\ndata: x\n\n", ["ping", "{}"], ["", "x"]],
  ["the name after the data", "data: 1\nevent: late\n\n", ["late", "1"]],
  ["a name without data is no event, nor the next one's name", "event: lost\n\ndata: x\n\n", ["", "x"]],
  ["comments", ": hi\n\ndata: a\n:\ndata: b\n: bye\n\n", ["", "a\nb"]],
  ["other fields", "id: 7\nretry: 9\nfoo\ndata: a\ndatax: b\n Data: c\n\n", ["", "a"]],
  ["one space is taken off the value", "data:a\n\ndata:  b\n\ndata: \n\n", ["", "a"], ["", " b"], ["", ""]],
  ["a field without a colon", "data\n\ndata\ndata\n\n", ["", ""], ["", "\n"]],
  ["colons in the value", "data: a:b: c\n\n", ["", "a:b: c"]],
  ["blank lines all over", "\n\n\ndata: a\n\n\n\ndata: b\n\n\n", ["", "a"], ["", "b"]],
  ["no blank line at the end", "data: a\n\ndata: b\n", ["", "a"], ["", "b"]],
  ["no line end at the end", "data: a\n\ndata: b", ["", "a"], ["", "b"]],
  ["a name alone at the end", "data: a\n\nevent: b", ["", "a"]],
  ["characters of two, three and four bytes", "data: é€😀\n\n", ["", "é€😀"]],
  ["a byte-order mark", "\uFEFFdata: a\n\n", ["", "a"]],
  ["a byte-order mark within", "data: \uFEFFa\n\n", ["", "\uFEFFa"]],
  [
    "other characters that break lines elsewhere",
    "data: a\u2028b\u0085c\vd\0e\n\n",
    ["", "a\u2028b\u0085c\vd\0e"],
  ],
  ["nothing", ""],
  ["only comments", ": a\n: b\n\n"],
];

const MIXED_LINE_ENDS: readonly Row[] = [
  ["LF, then CRLF", "data: a\ndata: b\r\n\r\n", ["", "a\nb"]],
  ["CR, then CRLF", "data: a\rdata: b\r\n\r\n", ["", "a\nb"]],
  ["LF CR are two line ends", "data: a\n\rdata: b\n\r", ["", "a"], ["", "b"]],
  ["CRLF CR is a blank line", "data: a\r\n\rdata: b\r\r\n", ["", "a"], ["", "b"]],
  ["CR CRLF is a blank line", "data: a\r\r\ndata: b\r\n\r", ["", "a"], ["", "b"]],
  ["CRLF LF is a blank line", "data: a\r\n\ndata: b\n\r\n", ["", "a"], ["", "b"]],
  ["CR at the end", "data: a\r", ["", "a"]],
  ["a lone CR cuts a value", "data: a\rb: c\n\n", ["", "a"]],
];

const ROWS = [
  ...ANY_LINE_END.flatMap(([name, stream, ...events]) =>
    [
      ["LF", "\n"],
      ["CRLF", "\r\n"],
      ["CR", "\r"],
    ].map(([end, text = ""]) => [`${name} (${end})`, stream.replaceAll("\n", text), ...events] as const),
  ),
  ...MIXED_LINE_ENDS,
];

describe("every cut gives the same events", () => {
  for (const [name, stream, ...events] of ROWS) {
    test(name, () => {
      const expected = events.map(([event, data]) => ({ event, data }));
      for (const reads of cutsOf(encoder.encode(stream))) expect(parsed(reads)).toEqual(expected);
    });
  }

  test("a character cut off by the end of the stream", () => {
    const bytes = encoder.encode("data: a😀").subarray(0, -1);
    for (const reads of cutsOf(bytes)) expect(parsed(reads)).toEqual([{ event: "", data: "a\uFFFD" }]);
  });

  test("an event is delivered with the read that completes it", () => {
    const parser = new EventParser();
    expect(parser.push("data: a\r\n\r")).toEqual([{ event: "", data: "a" }]);
    expect(parser.push("\ndata: b\n")).toEqual([]);
    expect(parser.push("\n")).toEqual([{ event: "", data: "b" }]);
  });
});

/** A line of this many characters, its end included. */
function line(start: string, length: number): string {
  return `${start}${"x".repeat(length - start.length - 1)}\n`;
}

const THIRD = Math.floor(EVENT_CHARACTERS_MAX / 3);
const REST = EVENT_CHARACTERS_MAX - 2 * THIRD;

describe("the size of an event is bounded", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["one line at the bound", line("data: ", EVENT_CHARACTERS_MAX), true],
    ["one line beyond it", line("data: ", EVENT_CHARACTERS_MAX + 1), false],
    ["lines that reach it together", line("data: ", THIRD).repeat(2) + line("data: ", REST), true],
    ["lines that pass it together", line("data: ", THIRD).repeat(2) + line("data: ", REST + 1), false],
    ["empty lines within it", "data\n".repeat(EVENT_LINES_MAX), true],
    ["empty lines beyond it", "data\n".repeat(EVENT_LINES_MAX + 1), false],
    ["a comment beyond it", line(": ", EVENT_CHARACTERS_MAX + 2), false],
    ["comments that pass it together", line(": ", THIRD).repeat(4), true],
    ["events that pass it together", `${line("data: ", THIRD)}\n`.repeat(4), true],
    [
      "short events that pass it together",
      `${line("data: ", 90_000)}\n`.repeat(400) + line("data: ", 2e5),
      true,
    ],
  ];
  for (const [name, stream, fits] of rows) {
    for (const readCharacters of [Number.MAX_SAFE_INTEGER, 1_000_003]) {
      test(`${name}, in ${readCharacters > stream.length ? "one read" : "many"}`, () => {
        const text = `${stream}\n`;
        const parse = () => {
          const parser = new EventParser();
          for (let at = 0; at < text.length; at += readCharacters)
            parser.push(text.slice(at, at + readCharacters));
        };
        if (fits) expect(parse).not.toThrow();
        else expect(parse).toThrow("too large");
      });
    }
  }
});

/** A million lines: a parser that scans the rest of the read for each of them would exceed the test's time limit. */
describe("lines take linear time", () => {
  const COUNT = 500_000;
  const rows: readonly (readonly [string, string])[] = [
    ["CR alone", "data:x\r\r"],
    ["LF alone", "data:x\n\n"],
    ["CRLF", "data:x\r\n\r\n"],
    ["CR and LF in turns", "data:x\r\n\n"],
  ];
  for (const [name, event] of rows) {
    test(name, () => {
      expect(parsed([encoder.encode(event.repeat(COUNT))])).toHaveLength(COUNT);
    });
  }

  test("CR alone, then one LF at the far end", () => {
    expect(parsed([encoder.encode(`${"data:x\r\r".repeat(COUNT)}\n`)])).toHaveLength(COUNT);
  });

  test("LF alone, then one CR at the far end", () => {
    expect(parsed([encoder.encode(`${"data:x\n\n".repeat(COUNT)}\r`)])).toHaveLength(COUNT);
  });
});
