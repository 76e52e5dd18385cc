// Text, thinking and other calls between two pieces of a streamed call: each call is shown once, and whole.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { subject, writeEvents } from "../interleaved.ts";
import { makeExchange, READINGS } from "../readings.ts";
import { decodePieces, STAMP, writeStream } from "../recorded.ts";

const made = (index: number, name: string, text: string): JsonObject => ({
  tool_calls: [{ index, id: `call_${name}`, type: "function", function: { name, arguments: text } }],
});
const more = (index: number, text: string): JsonObject => ({
  tool_calls: [{ index, function: { arguments: text } }],
});
const say = (content: string): JsonObject => ({ content });
const think = (text: string): JsonObject => ({ reasoning_content: text });

function stream(deltas: readonly JsonObject[], finish = "tool_calls") {
  const last = { choices: [{ index: 0, delta: {}, finish_reason: finish }] };
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  return subject("openai-chat", true, `${writeEvents([...chunks, last])}data: [DONE]\n\n`);
}

const RM = [made(0, "rm", '{"path":"/tmp'), more(0, '/x/y"}')] as const;
const [BEGUN, ENDED] = RM;

interface Row {
  readonly name: string;
  readonly deltas: readonly JsonObject[];
  readonly order: readonly string[];
}
const ROWS: readonly Row[] = [
  { name: "text", deltas: [BEGUN, say("a"), ENDED], order: ["call rm", "text a"] },
  { name: "thinking", deltas: [BEGUN, think("a"), ENDED], order: ["call rm", "thinking a"] },
  {
    name: "several of both",
    deltas: [say("0"), BEGUN, say("a"), think("b"), more(0, "/x"), say("c"), more(0, '/y"}'), say("d")],
    order: ["text 0", "call rm", "text a", "thinking b", "text cd"],
  },
  {
    name: "a text beside each piece",
    deltas: [
      { content: "a", ...BEGUN },
      { content: "b", ...ENDED },
    ],
    order: ["text a", "call rm", "text b"],
  },
  {
    name: "another call and its text",
    deltas: [BEGUN, made(1, "ls", '{"path":"/tmp/'), say("a"), ENDED, say("b"), more(1, 'x/y"}'), say("c")],
    order: ["call rm", "call ls", "text abc"],
  },
  {
    name: "a call that is complete first",
    deltas: [BEGUN, say("a"), made(1, "ls", '{"path":"/tmp/x/y"}'), say("b"), ENDED],
    order: ["call rm", "text a", "call ls", "text b"],
  },
  {
    name: "brackets, quotes and escapes in the arguments",
    deltas: [
      made(0, "rm", '{"a":["}\\"'),
      say("a"),
      more(0, '\\\\"],"path":"/tmp/x'),
      more(0, '/y"}'),
      say("b"),
    ],
    order: ["call rm", "text ab"],
  },
  {
    name: "arguments that never come",
    deltas: [made(0, "rm", ""), say("a")],
    order: ["call rm", "text a"],
  },
  {
    name: "a blank after the end",
    deltas: [...RM, say("a"), more(0, "\n"), say("b")],
    order: ["call rm", "text ab"],
  },
];

for (const [surface, { streamed }] of Object.entries(READINGS)) {
  describe(surface, () => {
    for (const { name, deltas, order } of ROWS) {
      test(name, async () => {
        for (const isOneByOne of [true, false]) {
          const pieces = decodePieces(stream(deltas), null);
          const { said } = await streamed(writeStream(makeExchange(surface), pieces, isOneByOne));
          expect(said.order).toEqual(order);
          const calls = order.filter((line) => line.startsWith("call "));
          expect(said.calls.map(([called]) => `call ${called}`)).toEqual(calls);
          for (const [, input] of said.calls)
            if (name !== "arguments that never come") expect(input).toMatchObject({ path: "/tmp/x/y" });
        }
      });
    }

    test("a text after a complete call is shown at once", () => {
      const pieces = decodePieces(stream([...RM, say("after it"), say("the end")]), null);
      const writer = makeExchange(surface).writer(() => STAMP);
      const at = pieces.findIndex((piece) => JSON.stringify(piece).includes("after it"));
      for (const piece of pieces.slice(0, at)) writer.write([piece]);
      expect(writer.write(pieces.slice(at, at + 1))).toContain("after it");
    });
  });
}
