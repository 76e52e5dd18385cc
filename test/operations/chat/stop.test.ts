// Stop sequences that the gateway enforces itself: cut at the same place however the text is split.
import { expect, test } from "bun:test";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { StopCutter } from "../../../src/operations/chat/answer/stop.ts";
import type { ChatChunk, FinishReason } from "../../../src/operations/chat/form.ts";

function chunk(content: string | null, finish: FinishReason | null = null): ChatChunk {
  return { choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }] };
}

function cut(pieces: readonly string[], stops: readonly string[], finish: FinishReason = "length") {
  const cutter = new StopCutter(stops);
  const fold = new Fold();
  for (const piece of pieces) for (const one of cutter.push([chunk(piece)])) fold.push(one);
  for (const one of cutter.push([chunk(null, finish)])) fold.push(one);
  const [choice] = fold.reply().choices;
  return [choice?.message.content, choice?.finish_reason];
}

const ROWS: readonly (readonly [string, readonly string[], string, FinishReason])[] = [
  ["one STOP two", ["STOP"], "one ", "stop"],
  ["one two", ["STOP"], "one two", "length"],
  ["one STO", ["STOP"], "one STO", "length"],
  ["aaab", ["aab"], "a", "stop"],
  ["a\n\nb\n", ["\n\n\n", "\nb"], "a\n", "stop"],
  ["STOP", ["STOP"], "", "stop"],
  ["x END y STOP", ["STOP", "END"], "x ", "stop"],
  ["anything", [""], "anything", "length"],
  // A partial match of a stop sequence is passed over, and a full one after it still counts.
  ["abababac", ["ababac"], "ab", "stop"],
  ["aabaabaaac", ["aabaaac"], "aab", "stop"],
  // The one that ends first counts. If two end together, the longer one does.
  ["xabcd", ["abcd", "bc"], "xa", "stop"],
  ["x abc", ["c", "abc"], "x ", "stop"],
  ["x abc", ["abcd", "c"], "x ab", "stop"],
  ["x abc", ["c", "abcd"], "x ab", "stop"],
];

for (const [text, stops, expected, finish] of ROWS) {
  test(`${JSON.stringify(text)} at ${JSON.stringify(stops)}, whole and under any two cuts`, () => {
    expect(cut([text], stops)).toEqual([expected, finish]);
    for (let at = 0; at <= text.length; at++) {
      for (let to = at; to <= text.length; to++) {
        const pieces = [text.slice(0, at), text.slice(at, to), text.slice(to)];
        expect(cut(pieces, stops)).toEqual([expected, finish]);
      }
    }
  });
}

test("text before a call is sent before it, and no stop sequence spans a call", () => {
  const cutter = new StopCutter(["STOP"]);
  const fold = new Fold();
  const calls = [{ index: 0, id: "c", type: "function" as const, function: { name: "f", arguments: "{}" } }];
  const call: ChatChunk = { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] };
  for (const given of [chunk("one ST"), call, chunk("OP two"), chunk(null, "stop")])
    for (const one of cutter.push([given])) fold.push(one);
  const [choice] = fold.reply().choices;
  expect(choice?.message.content).toBe("one STOP two");
  expect(choice?.message.parts?.map(({ kind, size }) => [kind, size])).toEqual([
    ["text", 6],
    ["call", 1],
    ["text", 6],
  ]);
});

test("calls after the cut are dropped, but their usage counts", () => {
  const cutter = new StopCutter(["STOP"]);
  const usage = { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 };
  const calls = [{ index: 0, id: "c", type: "function" as const, function: { name: "f", arguments: "{}" } }];
  const chunks: ChatChunk[] = [
    chunk("done STOP"),
    { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: "tool_calls" }] },
    { choices: [], usage },
  ];
  const fold = new Fold();
  for (const one of chunks.flatMap((each) => cutter.push([each]))) fold.push(one);
  const reply = fold.reply();
  expect(reply.choices[0]?.message.tool_calls).toBeUndefined();
  expect(reply.choices[0]?.message.content).toBe("done ");
  expect(reply.choices[0]?.finish_reason).toBe("stop");
  expect(reply.usage).toEqual(usage);
});

test("nearly matching a very long stop sequence takes linear time", () => {
  const length = 1_000_000;
  const text = `${"a".repeat(length - 1)}c`;
  expect(cut([text], [`${"a".repeat(length)}b`])).toEqual([text, "length"]);
});
