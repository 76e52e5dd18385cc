// The client's own JSON as a text: the same values with the same fields as in JSON that is parsed, integers in place, and
// all of it as one text for a change that takes that.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ChangeText, TextPlace } from "../../../src/core/text/texts.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { type JsonChange, mapJson, mapJsonText } from "../../../src/operations/text-json.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { RESPONSES_TEXTS } from "../../../src/surfaces/openai-responses/texts.ts";

const VALUES = [
  { ssn: "a", list: ["b", { ssn: "c", deep: ["d"] }, "e"], last: "f" },
  { outer: [[{ ssn: 123456789 }, 987654321], -123456789012], short: 12345678, long: "x" },
  { big: 4532015112830366, point: 1234567890.5, wide: 1e12, past: [{}, [], "after"] },
  ["top", { a: "b" }, 1234567890],
] as const;

/** Collects what it is asked about, with its field. */
function collect(walk: (change: JsonChange) => unknown): readonly string[] {
  const found: string[] = [];
  const take =
    (kind: string) =>
    (text: string, field = "-") => {
      found.push(`${kind} ${field} ${text}`);
      return text;
    };
  walk({ text: take("text"), key: (key) => key, integer: take("integer") });
  return found;
}

test.each(VALUES.map((value) => [JSON.stringify(value), value] as const))("%s", (text, value) => {
  const parsed = collect((change) => mapJson(value, change));
  expect(parsed.length).toBeGreaterThan(0);
  expect(collect((change) => mapJsonText(text, change))).toEqual(parsed);
  expect(collect((change) => mapJsonText(JSON.stringify(value, null, 2), change))).toEqual(parsed);
});

test("an integer that is replaced becomes a string, and all else stays as it was written", () => {
  const change = { text: (text: string) => text, key: (key: string) => key, integer: () => "<CARD>" };
  const text = '{ "a" : 4532015112830366, "b": [1.50, 4532015112830366 ], "c": "4532015112830366" }';
  expect(mapJsonText(text, change)).toBe(
    '{ "a" : "<CARD>", "b": [1.50, "<CARD>" ], "c": "4532015112830366" }',
  );
  expect(mapJson({ a: 4532015112830366n, b: 1 }, change)).toEqual({ a: "<CARD>", b: 1 });
});

/** Lists the texts of the client's own JSON that a change is asked about, and replaces each by `now`. */
function takeJson(now: string) {
  const found: [string, Partial<TextPlace>][] = [];
  const take = (text: string, { kind, isPiece, isJson }: TextPlace): string => {
    if (!text.includes("ada")) return text;
    found.push([text, isJson ? { kind, isPiece, isJson } : { kind, isPiece }]);
    return now;
  };
  const change: ChangeText = Object.assign(take, { takesJson: true as const });
  return { found, change };
}

const INPUT = '{ "to": "ada", "n": 1.50 }';
const AS_WRITTEN = { kind: "text", isPiece: false, isJson: true } as const;

test("a string of the client's own JSON comes as it is written to a change that takes it", () => {
  const call = { id: "c", type: "function", function: { name: "send", arguments: INPUT } } as const;
  const message = { role: "assistant", content: null, tool_calls: [call] } as const;
  const ask = { model: "m", messages: [message] };
  const { found, change } = takeJson("[1]");
  expect(CHAT.mapTexts(ask, change).messages).toMatchObject([
    { tool_calls: [{ function: { arguments: "[1]" } }] },
  ]);
  expect(found).toEqual([[INPUT, AS_WRITTEN]]);
  const item = { type: "function_call", call_id: "c", name: "send", arguments: INPUT };
  const own = takeJson("[1]");
  const answer: JsonObject = { output: [item] };
  expect(RESPONSES_TEXTS.mapAnswer(answer, own.change)).toEqual({ output: [{ ...item, arguments: "[1]" }] });
  expect(own.found).toEqual([[INPUT, AS_WRITTEN]]);
});

test("JSON that is no string comes by its values all the same", () => {
  const { found, change } = takeJson("bob");
  const block = { type: "tool_use", id: "c", name: "send", input: { to: "ada" } };
  expect(MESSAGES_TEXTS.mapAnswer({ content: [block] }, change)).toEqual({
    content: [{ ...block, input: { to: "bob" } }],
  });
  expect(found).toEqual([["ada", { kind: "text", isPiece: false }]]);
});
