// Stored responses as streams: the events of every recorded answer are those that its own stream has if each text comes in one
// piece, and OpenAI's SDK reads the same response from them.
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { unfold } from "../../../src/operations/chat/answer/fold.ts";
import { replayResponse } from "../../../src/surfaces/openai-responses/replay.ts";
import { splitEvents } from "../../recorded/events.ts";
import { atLeast, readTraffic } from "../../recorded/load.ts";
import { responsesGrammar } from "../grammar.ts";
import { makeExchange } from "../readings.ts";
import { recordedAnswers, writeStream } from "../recorded.ts";

function replay(response: JsonObject, after = -1): string {
  return [...replayResponse(response, after)].join("");
}

function listEvents(stream: string): readonly JsonObject[] {
  return splitEvents(stream).map(({ json }) => asObject(json));
}

/** The response that OpenAI's SDK reads from a stream, without the fields that it adds. */
async function readWithSdk(stream: string): Promise<JsonObject> {
  const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const client = new OpenAI({ apiKey: "sk", maxRetries: 0, fetch });
  const read = asObject(await client.responses.stream({ model: "m", input: "a" }).finalResponse());
  return JSON.parse(JSON.stringify(read));
}

describe("recorded answers", () => {
  test("have the events of their own stream", () => {
    const answers = recordedAnswers().filter(({ reply }) => reply.choices.length === 1);
    expect(answers.length).toBeGreaterThan(0);
    for (const { reply } of answers) {
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.5, charged: 0.25 };
      const own = writeStream(makeExchange("responses"), unfold({ ...reply, usage }), false);
      const events = listEvents(own);
      expect(listEvents(replay(asObject(events.at(-1)?.response)))).toEqual([...events]);
    }
  }, 300_000);

  test("of the API itself are read as they were, whatever items they have", async () => {
    const { recordings } = readTraffic();
    const bodies = recordings
      .filter(({ api, status, streamed }) => api === "openai-responses" && status === 200 && !streamed)
      .map(({ body }) => asObject(parseJson(body)))
      .filter(({ output, status }) => Array.isArray(output) && status !== "failed");
    const types = new Set(bodies.flatMap(({ output }) => asArray(output).map((item) => asObject(item).type)));
    expect(types.size).toBeGreaterThanOrEqual(atLeast(6));
    for (const body of bodies) {
      const stream = replay(body);
      expect(responsesGrammar(stream)).toEqual([]);
      // The SDK reads no response of which two items have the same id.
      const ids = asArray(body.output).map((item) => asObject(item).id);
      if (new Set(ids).size < ids.length) continue;
      const { output } = await readWithSdk(stream);
      expect(output).toMatchObject(asArray(body.output).map(asObject));
    }
  }, 300_000);
});

const ITEM = { id: "msg_1", type: "message", status: "completed", role: "assistant" };
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  error: null,
  output: [{ ...ITEM, content: [{ type: "output_text", text: "one two", annotations: [], logprobs: [] }] }],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
};

describe("the events after a number", () => {
  test.each([
    [-1, 9],
    [0, 8],
    [4, 4],
    [7, 1],
  ])("after %d, %d come", (after, count) => {
    const events = listEvents(replay(RESPONSE, after));
    expect(events.map((event) => event.sequence_number)).toEqual(
      [...Array(count).keys()].map((at) => 9 - count + at),
    );
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: RESPONSE });
  });

  test.each([8, 400])("the last one comes even after %d, as the next", (after) => {
    const sequence_number = after + 1;
    expect(listEvents(replay(RESPONSE, after))).toEqual([
      { type: "response.completed", sequence_number, response: RESPONSE },
    ]);
  });
});

test("an incomplete response begins as one in progress and ends as it was", () => {
  const response = { ...RESPONSE, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  const events = listEvents(replay(response));
  const begun = { status: "in_progress", incomplete_details: null, output: [], usage: null };
  expect(events[0]).toMatchObject({ type: "response.created", response: begun });
  expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response });
});
