// The work of putting values back, counted in characters that are looked at: bounded for each character, however the text comes.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { filterJson } from "../../src/guard/json-stream.ts";
import { Placeholders } from "../../src/guard/placeholders.ts";
import { Restorer } from "../../src/guard/restorer.ts";
import { filterText, type TextStream } from "../../src/guard/text-filter.ts";

const CHARACTERS = 3000;
/** The most look-ups for a character: a placeholder is begun at most once at each of its characters. */
const LOOKUPS_MAX = 60;
const { charAt, charCodeAt, slice } = String.prototype;
const values = new Placeholders("account");
for (let count = 0; count < 5000; count++) {
  values.name(["email", "card", "iban", "words:idcard"][count % 4] ?? "", `value ${count}`);
}
const [known = ""] = values.values.keys();
const restorer = new Restorer(values.values);
const filters = { value: () => restorer.begin(), key: () => restorer.begin(), integer: () => null };
let lookups = 0;

beforeAll(() => {
  String.prototype.charCodeAt = function (at) {
    lookups++;
    return charCodeAt.call(this, at);
  };
  String.prototype.charAt = function (at) {
    lookups++;
    return charAt.call(this, at);
  };
  String.prototype.slice = function (from, to) {
    const part = slice.call(this, from, to);
    lookups += part.length;
    return part;
  };
});

afterAll(() => Object.assign(String.prototype, { charAt, charCodeAt, slice }));

const HOSTILE: Readonly<Record<string, string>> = {
  prose: "the invoice of last month; ",
  brackets: "<",
  "brackets in pairs": "<>",
  entities: "&lt;",
  "halves of entities": "&l",
  backslashes: "\\",
  escapes: "\\u003c",
  marks: "EMAIL_",
  "marks in a row": "EMAIL",
  "marks with brackets": "<EMAIL\\_",
  "codes that are cut": "&lt;IDCARD_3K9P0QR ",
  "unknown codes": "<EMAIL_3K9P0QRT>",
  "placeholders without a bracket": `&lt;${known}&g`,
  placeholders: `<${known}>`,
  quotes: '"',
  "quotes and colons": '"a":',
  digits: "1",
  "numbers in a list": "1234567890,",
  lists: "[",
  objects: '{"a":',
  literals: "true ",
};

type Push = (stream: TextStream, text: string) => void;
const WAYS: Readonly<Record<string, Push>> = {
  whole: (stream, text) => void stream.push(text),
  "by characters": (stream, text) => {
    for (const character of text) stream.push(character);
  },
};

function countLookups(begin: () => TextStream, push: Push, text: string): number {
  const stream = begin();
  lookups = 0;
  push(stream, text);
  stream.end();
  return lookups;
}

const STREAMS: Readonly<Record<string, readonly [head: string, begin: () => TextStream]>> = {
  "a text": ["", () => filterText(restorer.begin())],
  JSON: ["[", () => filterJson(filters)],
  "a string of JSON": ['["', () => filterJson(filters)],
};

const ROWS = Object.keys(STREAMS).flatMap((stream) =>
  Object.keys(HOSTILE).map((name) => [name, stream] as const),
);

test.each(ROWS)("the work for %s in %s is bounded, and doubles with the text", (name, stream) => {
  const part = HOSTILE[name] ?? "";
  const [head, begin] = STREAMS[stream] ?? ["", () => filterJson(filters)];
  const make = (characters: number) => head + part.repeat(Math.ceil(characters / part.length));
  for (const push of Object.values(WAYS)) {
    const text = make(CHARACTERS);
    const once = countLookups(begin, push, text);
    expect(once).toBeGreaterThanOrEqual(text.length);
    expect(once / text.length).toBeLessThan(LOOKUPS_MAX);
    expect(countLookups(begin, push, make(CHARACTERS * 2))).toBeLessThan(once * 2 + 1000);
  }
});
