// The history of a Responses request: references that the AI SDK makes by default, and reasoning in plain text.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { RESPONSES_LANE } from "../../../src/dialects/responses/lane.ts";
import { COMPACTIONS } from "../../../src/surfaces/openai-responses/compaction/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { incoming } from "../recorded.ts";
import { findRefusal, makeCall, readRequest } from "./responses-read.ts";

const USER = { role: "user", content: "Is it raining?" };
const SAID = { type: "item_reference", id: "msg_1" };
const THOUGHT = { type: "item_reference", id: "rs_1" };
const RESULT = { type: "function_call_output", call_id: "c1", output: "yes" };

describe("a reference to what was said", () => {
  test.each([
    ["beside a call", [USER, SAID, makeCall({ id: "fc_1" }), RESULT], ["input[1]"]],
    ["between thinking and calls", [USER, THOUGHT, SAID, makeCall({}), RESULT], ["input[1]", "input[2]"]],
    [
      "in each step",
      [USER, SAID, makeCall({}), RESULT, SAID, makeCall({ call_id: "c2" }), { ...RESULT, call_id: "c2" }],
      ["input[1]", "input[4]"],
    ],
  ])("%s is left out, and named", (_, input, dropped) => {
    const exchange = readRequest({ input });
    expect(exchange.dropped).toEqual(dropped);
    expect(JSON.stringify(exchange.raw?.body.input)).not.toContain("item_reference");
    expect(exchange.ask.messages.map(({ role }): string => role)).toEqual(input.flatMap(readRole));
  });

  test.each([
    ["as the answer", [USER, SAID, { role: "user", content: "Sure?" }]],
    ["at the end", [USER, makeCall({}), RESULT, SAID]],
    ["before a result", [USER, makeCall({}), SAID, RESULT]],
  ])("%s is refused, with the settings that help", (_, input) => {
    const { code, message } = findRefusal({ input });
    expect([code, message]).toEqual(["unsupported_parameter", expect.stringContaining("store: false")]);
  });
});

/** The roles of the messages that a turn's items become. */
function readRole(item: JsonObject): readonly string[] {
  if (item.type === "item_reference") return [];
  if (item.type === "function_call") return ["assistant"];
  return [item.type === "function_call_output" ? "tool" : "user"];
}

describe("reasoning in plain text", () => {
  const content = [{ type: "reasoning_text", text: "Look outside." }];
  const plain = { type: "reasoning", id: "rs_local", summary: [], content };
  const sealed = { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAA" };
  const input = [USER, plain, sealed, makeCall({ id: "fc_1" }), RESULT];
  const send = (model: string, body: JsonObject = { input }) => {
    const { raw, ask } = readRequest(body);
    if (raw === null) throw new Error("no raw request");
    const target = { baseUrl: "https://provider.test", secret: "s", headers: {} };
    return asArray(RESPONSES_LANE.encode(raw, ask, makeModelCard(model), target).body.input);
  };

  test("goes back to the servers that write it", () => {
    for (const name of ["LMStudio#qwen3-30b", "vLLM#openai/gpt-oss-20b"])
      expect(send(name).slice(1, 3)).toEqual([plain, sealed]);
  });

  test("is left out for OpenAI's models, which refuse it", () => {
    expect(send("OpenAI#gpt-5.4").map((item) => asObject(item).type)).toEqual([
      undefined,
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
  });

  test("takes the ids from what follows: OpenAI refuses them without their reasoning", () => {
    const [, , call] = send("vLLM#m", { input: [USER, plain, makeCall({ id: "fc_1" }), RESULT] });
    expect(call).toEqual(makeCall({}));
  });

  test("is left out for one more call if the provider turns out to be OpenAI", async () => {
    const under = await startUnderTest();
    try {
      const headers = { authorization: `Bearer ${under.secret}`, "content-type": "application/json" };
      const body = JSON.stringify({
        model: "Responses#house-think",
        input: [USER, plain, makeCall({ arguments: "{}" }), RESULT],
      });
      const answer = await fetch(`${under.url}/v1/responses`, { method: "POST", headers, body });
      expect([answer.status, answer.headers.get("x-poundkey-attempts")]).toEqual([200, "2"]);
      expect(JSON.stringify(under.simulator.calls.last()?.body)).not.toContain("rs_local");
    } finally {
      await under.stop();
    }
  });
});

test("what continues from a response that isn't kept is refused by its id, also to be compacted", () => {
  const body = { model: "m", previous_response_id: "resp_1" };
  const compact = () => COMPACTIONS.read(incoming(body, "/v1/responses/compact"));
  expect(compact).toThrow("'previous_response_id' is not supported here");
  const input = [{ type: "compaction_trigger" }];
  expect(findRefusal({ ...body, input }).details.param).toBe("previous_response_id");
  expect(findRefusal({ input }).details.param).toBe("input[0]");
});
