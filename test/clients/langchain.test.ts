// LangChain's ChatOpenAI against the running gateway.
import { afterAll, describe, expect, test } from "bun:test";
import {
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { startUnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import {
  ASK_TWO,
  DIALECTS,
  doorTo,
  failure,
  PICTURE,
  PICTURE_SEEN,
  PLAIN,
  readStanding,
  THINKING,
} from "./setting.ts";

const under = await startUnderTest();
afterAll(() => under.stop());

function fieldsOf(model: string, { url = under.url, apiKey = under.secret } = {}) {
  return { model, apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1` } };
}

const chat = (model: string) => new ChatOpenAI(fieldsOf(model));

const weather = tool(({ city }) => `sun in ${city}`, {
  name: "get_weather",
  description: "Today's weather in a city.",
  schema: z.object({ city: z.string() }),
});

async function streamed(pieces: AsyncIterable<AIMessageChunk>) {
  const chunks = await Array.fromAsync(pieces);
  return { chunks, whole: chunks.reduce((sum, chunk) => sum.concat(chunk), new AIMessageChunk("")) };
}

describe("an answer", () => {
  test("arrives complete, with usage and the model's name", async () => {
    const messages = [new SystemMessage("Be brief."), new HumanMessage("say: one two three")];
    const answer = await chat(PLAIN).invoke(messages);
    expect(answer.text).toBe("one two three");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 7, output_tokens: 4, total_tokens: 11 });
    expect(answer.response_metadata).toMatchObject({ model_name: PLAIN, finish_reason: "stop" });
    expect(answer.id).toStartWith("chatcmpl-");
  });

  test("arrives in pieces, and its usage is counted once", async () => {
    const { chunks, whole } = await streamed(await chat(PLAIN).stream("say: one two three"));
    expect(chunks.map(({ text }) => text).filter(Boolean)).toEqual(["one", " two", " three"]);
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 4, total_tokens: 9 });
    expect(whole.response_metadata.finish_reason).toBe("stop");
  });

  test("has as many choices as n asks for", async () => {
    const model = new ChatOpenAI({ ...fieldsOf("OpenAI#gpt-5.4"), n: 2 });
    const { generations } = await model.generate([[new HumanMessage("say: hi")]]);
    expect(generations[0]?.map(({ text }) => text)).toEqual(["hi", "hi (choice 2)"]);
  });

  test("can be about a picture", async () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: PICTURE } },
    ];
    const answer = await chat(PLAIN).invoke([new HumanMessage({ content })]);
    expect(answer.text).toBe(`You said: What is this? ${PICTURE_SEEN}`);
  });

  test("includes the thinking", async () => {
    const reasoning_content = "Thinking about: say: hi";
    const answer = await chat(THINKING).invoke("say: hi");
    expect(answer.additional_kwargs).toMatchObject({ reasoning_content });
    const { whole } = await streamed(await chat(THINKING).stream("say: hi"));
    expect(whole.additional_kwargs).toMatchObject({ reasoning_content });
    expect(whole.usage_metadata?.output_token_details?.reasoning).toBe(6);
  });
});

describe.each(DIALECTS)("%s", (id) => {
  for (const stream of [false, true]) {
    test(`calls tools and answers from their results${stream ? ", streamed" : ""}`, async () => {
      const model = new ChatOpenAI({ ...fieldsOf(id), modelKwargs: { reasoning_effort: "low" } }).bindTools([
        weather,
      ]);
      const ask = async (messages: BaseMessage[]) =>
        stream ? (await streamed(await model.stream(messages))).whole : model.invoke(messages);
      const history: BaseMessage[] = [new HumanMessage(ASK_TWO)];
      const called = await ask(history);
      history.push(called);
      expect(called.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      for (const call of called.tool_calls ?? []) {
        const result: unknown = await weather.invoke({ ...call, type: "tool_call" });
        if (result instanceof ToolMessage) history.push(result);
      }
      expect((await ask(history)).text).toMatch(/sun in Oslo.*sun in Rome/);
    });
  }

  test.each(["jsonSchema", "functionCalling"] as const)("follows a schema by %s", async (method) => {
    const City = z.object({ name: z.string().min(2), size: z.number().int(), tags: z.array(z.string()) });
    const answer = await chat(id).withStructuredOutput(City, { name: "city", method }).invoke("A city.");
    expect<unknown>(answer).toEqual({ name: "sample", size: expect.any(Number), tags: [] });
  });
});

/** The error of the work, identified by its class name because LangChain has its own copy of OpenAI's SDK. */
async function thrown(kind: string, work: Promise<unknown>): Promise<Error> {
  const error = await failure(Error, work);
  expect(error.constructor.name).toBe(kind);
  return error;
}

describe("errors", () => {
  test.each([
    [`${PLAIN}~400`, "BadRequestError", { status: 400, code: "invalid_value" }],
    ["gpt-5.4", "NotFoundError", { status: 404, lc_error_code: "MODEL_NOT_FOUND" }],
    [`${PLAIN}~429`, "RateLimitError", { status: 429, lc_error_code: "MODEL_RATE_LIMIT" }],
    [`${PLAIN}~500`, "InternalServerError", { status: 502, code: "upstream_error" }],
    [`${PLAIN}~context`, "ContextOverflowError", {}],
  ])("from %s have the right class", async (id, kind, shows) => {
    expect(await thrown(kind, chat(id).invoke("say: hi"))).toMatchObject(shows);
  });

  test("carry the request id", async () => {
    const error = await thrown("BadRequestError", chat(`${PLAIN}~400`).invoke("say: hi"));
    expect(error).toMatchObject({ requestID: expect.stringMatching(/^req_/) });
  });

  test("about keys have the right class", async () => {
    const stranger = new ChatOpenAI(fieldsOf(PLAIN, { apiKey: "sk-not-a-key" }));
    const wrong = await thrown("AuthenticationError", stranger.invoke("hi"));
    expect(wrong).toMatchObject({ lc_error_code: "MODEL_AUTHENTICATION", code: "invalid_api_key" });
    const { secret } = await under.newKey({ allowed_models: ["OpenAI#gpt-5.4"] });
    const bound = new ChatOpenAI(fieldsOf(PLAIN, { apiKey: secret }));
    await thrown("PermissionDeniedError", bound.invoke("hi"));
  });

  test("in mid-stream are thrown after the pieces", async () => {
    const pieces: string[] = [];
    const reading = async () => {
      const stream = await chat(`${PLAIN}~pace=200~error-mid`).stream("say: one two three");
      for await (const { text } of stream) pieces.push(text);
    };
    await thrown("APIError", reading());
    expect(pieces.join("")).toStartWith("one");
  });
});

test("an aborted stream ends the call at the provider", async () => {
  const controller = new AbortController();
  const reading = async () => {
    const { signal } = controller;
    const stream = await chat(`${PLAIN}~stall`).stream("say: one two three", { signal });
    for await (const { text } of stream) if (text === " two") controller.abort();
  };
  await failure(Error, reading());
  const call = under.simulator.calls.last();
  await until("the upstream call's end", () => call?.ended === "aborted");
});

test("when the allowance is used up, there is one call and no retry", async () => {
  const { secret } = await under.newKey({ requests_per_day: 1 });
  const door = doorTo(under.url);
  const patient = new ChatOpenAI({
    model: PLAIN,
    apiKey: secret,
    configuration: { baseURL: `${door.url}/v1` },
  });
  await patient.invoke("say: hi");
  const before = await readStanding(under.url, secret);
  const error = await thrown("RateLimitError", patient.invoke("say: hi"));
  expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  expect(door.statuses).toEqual([200, 429]);
  expect(await readStanding(under.url, secret)).toEqual(before);
  await door.stop();
});

test("LangChain switches to the Responses API for some models, and gets an answer there", async () => {
  expect((await chat("OpenAI#gpt-5.4-pro").invoke("say: hi")).text).toBe("hi");
  let streamed = "";
  for await (const { text } of await chat("OpenAI#gpt-5.4-pro").stream("say: one two")) streamed += text;
  expect(streamed).toBe("one two");
});
