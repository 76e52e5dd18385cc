// The vendors' own SDKs with and without rules: the same texts, calls and structured answers, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { THINKING, WEATHER, WEATHER_FUNCTION } from "../../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";

import { type Ask, type Client, type Judged, ODD, QUESTIONS } from "./judges-questions.ts";

/** Their packages take seconds to load. */
const FRAMEWORKS = IS_LONG ? (await import("./judges-frameworks.ts")).FRAMEWORKS : [];
const DETECT = '[secrets, contact, finance, network, ids, "words:odd"]';
const RULES = [
  `{ name: all, detect: ${DETECT}, at: [request, answer], keys: [guarded] }`,
  `{ name: swap, detect: ${DETECT}, action: swap, keys: [swapped] }`,
];
const FORMAT = {
  type: "json_schema",
  name: "address",
  strict: true,
  schema: {
    type: "object",
    properties: { mail: { type: "string" }, card: { type: "integer" } },
    required: ["mail", "card"],
    additionalProperties: false,
  },
} as const;

let under: UnderTest;
type Key = Awaited<ReturnType<UnderTest["newKey"]>>;
let keys: Readonly<Record<"plain" | "guarded" | "swapped", Key>>;
beforeAll(async () => {
  under = await startUnderTest({
    more: `guard: { rules: [${RULES.join(", ")}], words: { odd: [${JSON.stringify(ODD)}] } }`,
  });
  const make = (name: string) => under.newKey({ name, requests_per_day: null });
  keys = { plain: await make("plain"), guarded: await make("guarded"), swapped: await make("swapped") };
});
afterAll(() => under.stop());

const openai = ({ url, secret: apiKey }: Client) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = ({ url, secret: apiKey }: Client) => new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
const google = ({ url, secret: apiKey }: Client) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });

const askChat =
  (model: string): Ask =>
  async (client, isStream, { prompt, kind }) => {
    const { type, ...json_schema } = FORMAT;
    const request = {
      model,
      messages: [{ role: "user" as const, content: prompt }],
      ...(kind === "calls"
        ? {
            tools: [
              { type: "function" as const, function: { ...WEATHER, parameters: { ...WEATHER.parameters } } },
            ],
          }
        : {}),
      ...(kind === "format" ? { response_format: { type, json_schema } } : {}),
      ...(kind === "object" ? { response_format: { type: "json_object" as const } } : {}),
    };
    const chat = openai(client).chat.completions;
    const answer = isStream ? await chat.stream(request).finalChatCompletion() : await chat.create(request);
    const [choice] = answer.choices;
    const calls = (choice?.message.tool_calls ?? []).map(
      (call) => call.type === "function" && [call.function.name, call.function.arguments],
    );
    return { text: choice?.message.content ?? "", calls, finish: choice?.finish_reason };
  };

const askResponses =
  (model: string): Ask =>
  async (client, isStream, { prompt, kind }) => {
    const request = {
      model,
      input: prompt,
      ...(kind === "calls" ? { tools: [WEATHER_FUNCTION] } : {}),
      ...(kind === "format" ? { text: { format: { ...FORMAT, schema: { ...FORMAT.schema } } } } : {}),
      ...(kind === "object" ? { text: { format: { type: "json_object" as const } } } : {}),
    };
    const { responses } = openai(client);
    const answer = isStream
      ? await responses.stream(request).finalResponse()
      : await responses.create(request);
    const calls = answer.output.flatMap((item) =>
      item.type === "function_call" ? [[item.name, item.arguments]] : [],
    );
    return { text: answer.output_text, calls, finish: answer.status };
  };

const askMessages =
  (model: string): Ask =>
  async (client, isStream, { prompt, kind }) => {
    const { name, description, parameters } = WEATHER;
    const { type, schema } = FORMAT;
    const request: Anthropic.MessageCreateParamsNonStreaming = {
      model,
      max_tokens: 2000,
      messages: [{ role: "user", content: prompt }],
      ...(kind === "calls"
        ? {
            tools: [
              { name, description, input_schema: { ...parameters, required: [...parameters.required] } },
            ],
          }
        : {}),
      ...(kind === "format" ? { output_config: { format: { type, schema: { ...schema } } } } : {}),
    };
    const { messages } = anthropic(client);
    const answer = isStream ? await messages.stream(request).finalMessage() : await messages.create(request);
    return {
      text: answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
      calls: answer.content.flatMap((block) =>
        block.type === "tool_use" ? [[block.name, block.input]] : [],
      ),
      finish: answer.stop_reason,
    };
  };

const askGemini =
  (model: string): Ask =>
  async (client, isStream, { prompt, kind }) => {
    const { name, description, parameters } = WEATHER;
    const declared = [{ name, description, parametersJsonSchema: parameters }];
    const request = {
      model: model.replace("#", "/"),
      contents: prompt,
      config: {
        ...(kind === "calls" ? { tools: [{ functionDeclarations: declared }] } : {}),
        ...(kind === "format"
          ? { responseMimeType: "application/json", responseJsonSchema: FORMAT.schema }
          : {}),
        ...(kind === "object" ? { responseMimeType: "application/json" } : {}),
      },
    };
    const { models } = google(client);
    const chunks = isStream
      ? await Array.fromAsync(await models.generateContentStream(request))
      : [await models.generateContent(request)];
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    return {
      text: parts.map(({ text = "", thought }) => (thought ? "" : text)).join(""),
      calls: parts.flatMap(({ functionCall }) =>
        functionCall ? [[functionCall.name, functionCall.args]] : [],
      ),
      finish: chunks.at(-1)?.candidates?.[0]?.finishReason,
    };
  };

const ASKING: readonly (readonly [string, Ask])[] = [
  ...["OpenAI#gpt-5.6-sol", "Anthropic#claude-haiku-4-5", THINKING].map(
    (model) => [`OpenAI's chat on ${model}`, askChat(model)] as const,
  ),
  ...["Responses#gpt-6.1-sol", "Google#gemini-3.5-flash"].map(
    (model) => [`OpenAI's Responses on ${model}`, askResponses(model)] as const,
  ),
  ...["Anthropic#claude-haiku-4-5", "OpenAI#gpt-5.6-sol"].map(
    (model) => [`Anthropic's on ${model}`, askMessages(model)] as const,
  ),
  ...["Google#gemini-3.5-flash", "Anthropic#claude-haiku-4-5"].map(
    (model) => [`Google's on ${model}`, askGemini(model)] as const,
  ),
  ...FRAMEWORKS,
];

describe.each(ASKING)("%s", (_name, ask) => {
  test.each(QUESTIONS.map((question) => [question.kind, question] as const))(
    "%s: the same without rules, with rules that report and with values swapped",
    async (kind, question) => {
      const { url } = under;
      const answers: Judged[] = [];
      for (const { secret } of Object.values(keys))
        for (const isStream of [false, true]) answers.push(await ask({ url, secret }, isStream, question));
      const [first] = answers;
      expect(answers).toEqual(answers.map(() => first as Judged));
      if (kind === "calls") expect(first?.calls.length).toBeGreaterThan(0);
      else expect(first?.text.length).toBeGreaterThan(5);
      if (kind !== "format") expect(JSON.stringify(first)).toContain("ada@corp-x.de");
    },
  );
});

test("of the requests with rules, and only of those, rows have findings", async () => {
  const operator = createOperator(under);
  const rows = await until("all is logged", async () => {
    const found = await operator.all("/requests", 200);
    return found.length >= ASKING.length * QUESTIONS.length * 6 ? found : null;
  });
  const listActions = ({ id }: Key) =>
    rows
      .filter(({ key_id: key }) => key === id)
      .map(
        ({ guard }) =>
          asArray(guard)
            .map(asObject)
            .find(({ detector }) => detector === "email")?.action,
      );
  const { plain, guarded, swapped } = keys;
  expect(new Set(listActions(plain))).toEqual(new Set([undefined]));
  expect(new Set(listActions(guarded))).toEqual(new Set(["report"]));
  expect(new Set(listActions(swapped))).toEqual(new Set(["swap"]));
});

test("no value that was swapped has reached a provider", () => {
  const calls = under.simulator.calls.all().filter(({ body }) => JSON.stringify(body).includes("EMAIL_"));
  expect(calls.length).toBeGreaterThan(ASKING.length * QUESTIONS.length);
  expect(calls.filter(({ body }) => /@corp-x|4532 0151|Anna/.test(JSON.stringify(body)))).toEqual([]);
});
