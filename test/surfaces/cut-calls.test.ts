// Calls whose arguments were cut off, by the limit or by a broken server: no client takes one for a call to run.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { decodeAnswer } from "../recorded/pipeline.ts";
import { subject, writeEvents } from "./interleaved.ts";
import { makeExchange, READINGS, type Read } from "./readings.ts";
import { decodePieces, STAMP, writeStream } from "./recorded.ts";

const call = (index: number, name: string, text: string) => ({
  index,
  id: `call_${name}`,
  type: "function",
  function: { name, arguments: text },
});
const RM = call(0, "rm", '{"path":"/tmp/x');
const LS = call(1, "ls", '{"path":"/"}');

/** The answer with these calls, whole and streamed. */
function answer(calls: readonly JsonObject[], finish: string) {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const message = { role: "assistant", content: null, tool_calls: calls };
  const whole = { choices: [{ index: 0, message, finish_reason: finish }], usage };
  const chunks = [
    ...calls.map((one) => ({ choices: [{ index: 0, delta: { tool_calls: [one] }, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
  ];
  return {
    whole: subject("openai-chat", false, JSON.stringify(whole)),
    streamed: subject("openai-chat", true, `${writeEvents(chunks)}data: [DONE]\n\n`),
  };
}

/** Both readings of the answer, which are the same. */
async function read(surface: string, calls: readonly JsonObject[], finish: string): Promise<Read> {
  const { whole, streamed } = answer(calls, finish);
  const reading = READINGS[surface];
  if (!reading) throw new Error("No such surface.");
  const { reply } = decodeAnswer(whole);
  const got = reading.whole(asObject(makeExchange(surface).whole(reply, STAMP)));
  const text = writeStream(makeExchange(surface), decodePieces(streamed, null), true);
  const other = await reading.streamed(text);
  expect([other.said.order, other.finish]).toEqual([got.said.order, got.finish]);
  return got;
}

interface Row {
  readonly name: string;
  readonly calls: readonly JsonObject[];
  readonly finish: string;
  /** The finish on each surface. */
  readonly messages: string;
  readonly responses: string;
  readonly gemini: string;
  /** The names of the calls that Gemini's clients get. */
  readonly left: readonly string[];
}
const CUT = { messages: "max_tokens", responses: "max_output_tokens", gemini: "MAX_TOKENS", left: [] };
const BROKEN = { ...CUT, gemini: "MALFORMED_FUNCTION_CALL" };
const USUAL = { messages: "tool_use", responses: "completed", gemini: "STOP", left: ["rm"] };
const ROWS: readonly Row[] = [
  { name: "the only call", calls: [RM], finish: "tool_calls", ...BROKEN },
  { name: "with the finish of a text", calls: [RM], finish: "stop", ...BROKEN },
  { name: "by the limit", calls: [RM], finish: "length", ...CUT },
  { name: "before another call", calls: [RM, LS], finish: "tool_calls", ...BROKEN, left: ["ls"] },
  {
    name: "after another call",
    calls: [call(0, "rm", "{}"), call(1, "ls", '{"a":[1')],
    finish: "tool_calls",
    ...BROKEN,
    left: ["rm"],
  },
  { name: "by the limit, before they began", calls: [call(0, "rm", "")], finish: "length", ...CUT },
  {
    name: "by the limit, after a call",
    calls: [call(0, "rm", '{"a":1}'), call(1, "ls", "{")],
    finish: "length",
    ...CUT,
    left: ["rm"],
  },
  { name: "not at all", calls: [call(0, "rm", '{"path":"/"}')], finish: "tool_calls", ...USUAL },
  { name: "not without arguments", calls: [call(0, "rm", "")], finish: "tool_calls", ...USUAL },
  { name: "not if they are no object", calls: [call(0, "rm", "[1]")], finish: "tool_calls", ...USUAL },
  {
    name: "not if they are text",
    calls: [{ index: 0, id: "call_rm", type: "custom", custom: { name: "rm", input: '{"path":"/tmp' } }],
    finish: "tool_calls",
    ...USUAL,
  },
];

describe.each(ROWS)("cut off: $name", (row) => {
  test("Messages end as at the limit", async () => {
    const { finish } = await read("messages", row.calls, row.finish);
    expect(finish).toBe(row.messages);
  });

  test("Responses are incomplete, and so is the call", async () => {
    const { finish } = await read("responses", row.calls, row.finish);
    expect(finish).toBe(row.responses);
    const { whole } = answer(row.calls, row.finish);
    const { reply } = decodeAnswer(whole);
    const output = asArray(asObject(makeExchange("responses").whole(reply, STAMP)).output).map(asObject);
    const complete = output.filter(({ status }) => status === "completed").map(({ name }) => name);
    expect(complete).toEqual([...row.left]);
  });

  test("Gemini's clients don't get the call", async () => {
    const { said, finish } = await read("gemini", row.calls, row.finish);
    expect([finish, said.calls.map(([name]) => name)]).toEqual([row.gemini, [...row.left]]);
  });
});
