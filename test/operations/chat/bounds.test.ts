// Absurd sizes: objects with too many fields in a request, counts that no model can have read.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asCount, type JsonObject } from "../../../src/core/json/json.ts";
import { readChatRequest } from "../../../src/surfaces/openai-chat/read.ts";

const LIMITS = { choicesMax: 16, messagesMax: 100 };

function fields(count: number, value: unknown): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, value]));
}

function asked(change: JsonObject): JsonObject {
  return { model: "m", messages: [{ role: "user", content: "hi" }], ...change };
}

/** A message with `count` fields. */
function message(count: number): JsonObject {
  return { role: "user", content: "hi", ...fields(count - 2, 1) };
}

function faultOf(body: JsonObject): Fault | null {
  try {
    readChatRequest(body, LIMITS);
    return null;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
}

type Row = readonly [name: string, most: number, body: (count: number) => JsonObject, param: string | null];

const ROWS: readonly Row[] = [
  ["the request", 256, (count) => asked(fields(count - 2, 1)), null],
  ["a message", 256, (count) => asked({ messages: [message(2), message(count)] }), "messages[1]"],
  ["logit_bias", 2000, (count) => asked({ logit_bias: fields(count, 1) }), "logit_bias"],
  ["metadata", 16, (count) => asked({ metadata: fields(count, "a") }), "metadata"],
];

describe("objects with too many fields", () => {
  for (const [name, most, body, param] of ROWS) {
    test(`${name}: ${most} fields are accepted, one more is refused`, () => {
      expect(faultOf(body(most))).toBeNull();
      const fault = faultOf(body(most + 1));
      expect(fault?.code).toBe("object_above_max_properties");
      expect(fault?.details.param).toBe(param);
      expect(fault?.message).toContain(String(most));
    });
  }

  test("stream_options only accepts known fields", () => {
    const options = (count: number) => asked({ stream: true, stream_options: fields(count, true) });
    expect(faultOf(options(256))?.code).toBe("unknown_parameter");
    expect(faultOf(options(257))?.code).toBe("object_above_max_properties");
  });

  test("are refused before the fields' values are checked", () => {
    for (const [, most, body, param] of ROWS) {
      const wrong = { ...body(most + 1), temperature: "warm" };
      const found = faultOf(param === null ? { ...wrong, messages: 1 } : wrong);
      expect([found?.code, found?.details.param]).toEqual(["object_above_max_properties", param]);
    }
    expect(faultOf(asked({ logit_bias: fields(2001, "heavy") }))?.code).toBe("object_above_max_properties");
    expect(faultOf(asked({ logit_bias: fields(2000, "heavy"), temperature: "warm" }))?.code).toBe(
      "invalid_type",
    );
  });

  test("too many messages are refused before any is checked", () => {
    const messages = Array.from({ length: LIMITS.messagesMax + 1 }, () => ({}));
    expect(faultOf(asked({ messages }))?.code).toBe("array_above_max_length");
  });
});

test("the compiled check of later requests agrees with the plain one of the first", () => {
  const bodies: readonly JsonObject[] = [
    {},
    { temperature: 2 },
    { temperature: 3 },
    { reasoning_effort: "low" },
    { reasoning_effort: "lowest" },
    { logit_bias: { 1: 101 } },
    { messages: [] },
    { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    { messages: [{ role: "user", content: [{ type: "text" }] }] },
    { messages: [{ role: "nobody", content: "hi" }] },
    { tools: [{ type: "function", function: { name: "f" } }] },
    { tools: [{ type: "function", function: {} }] },
  ];
  const said = () => bodies.map((body) => faultOf(asked(body))?.message ?? null);
  const first = said();
  for (let at = 0; at < 101; at++) readChatRequest(asked({}), LIMITS);
  expect(said()).toEqual(first);
  expect(first.map((message) => message === null)).toEqual(
    [1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0].map((isGood) => isGood === 1),
  );
});

test("the result of a legacy function call gets the id of the function's latest call", () => {
  const call = (name: string) => ({
    role: "assistant",
    content: null,
    function_call: { name, arguments: "{}" },
  });
  const result = (name: string) => ({ role: "function", name, content: "1" });
  const messages = [result("f"), call("f"), call("g"), result("f"), call("f"), result("f"), result("g")];
  const ids = readChatRequest(asked({ messages }), LIMITS).messages.map((one) =>
    one.role === "assistant" ? one.tool_calls?.[0]?.id : one.tool_call_id,
  );
  expect(ids).toEqual([
    "call_fn_0",
    "call_fn_1",
    "call_fn_2",
    "call_fn_1",
    "call_fn_4",
    "call_fn_4",
    "call_fn_2",
  ]);
});

describe("token counts", () => {
  const rows: readonly (readonly [unknown, number])[] = [
    [0, 0],
    [7, 7],
    [1.5, 2],
    [0.4, 0],
    [1e9, 1e9],
    [1e9 + 1, 1e9],
    [1e19, 1e9],
    [Number.MAX_VALUE, 1e9],
    [Number.POSITIVE_INFINITY, 0],
    [Number.NaN, 0],
    [-3, 0],
    ["7", 0],
    [null, 0],
    [undefined, 0],
  ];
  for (const [given, count] of rows)
    test(`${typeof given} ${given} is ${count}`, () => expect(asCount(given)).toBe(count));
});
