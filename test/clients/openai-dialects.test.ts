// One program with OpenAI's JavaScript SDK, run against every dialect: changing the model needs no other change.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { startUnderTest, type UnderTest } from "../harness.ts";
import { ASK_TWO, failure, PICTURE, PICTURE_SEEN } from "./setting.ts";

/** At least one model of each dialect; those of one dialect differ in what they refuse. */
const MODELS = [
  "OpenAI#gpt-4.1-mini",
  "OpenAI#gpt-5.4",
  "OpenAI#gpt-5.6-sol",
  "Responses#gpt-6.1-sol",
  "Anthropic#claude-haiku-4-5",
  "Anthropic#claude-opus-5-5",
  "Google#gemini-2.5-flash",
  "Google#gemini-3.5-flash",
  "Mistral#mistral-large-latest",
  "Mistral#magistral-medium-latest",
  "Perplexity#sonar",
  "Perplexity#sonar-pro",
  "Cohere#command-a-03-2025",
  "Cohere#command-a-reasoning-08-2025",
  "Local#sim-mini",
  "Local#sim-think",
];

let under: UnderTest;
let client: OpenAI;

beforeAll(async () => {
  under = await startUnderTest();
  client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
});
afterAll(() => under.stop());

/** A request with most of the fields that programs set: each provider refuses some of them. */
const FULL = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "say: one two three END four" },
  ],
  temperature: 1.3,
  top_p: 0.9,
  presence_penalty: 0.5,
  frequency_penalty: -0.5,
  seed: 7,
  stop: ["END"],
  max_tokens: 500,
  n: 2,
  logit_bias: { "50256": -100 },
  parallel_tool_calls: true,
  reasoning_effort: "low",
  service_tier: "auto",
  metadata: { program: "test" },
  user: "somebody",
} satisfies Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "model">;

const user = (content: string) => [{ role: "user" as const, content }];

const City = z.object({
  name: z.string().min(2),
  size: z.number().int().min(0).max(100),
  twin: z.object({ name: z.string(), country: z.string().optional().nullable() }),
  kind: z.union([z.literal("harbour"), z.literal("mountain"), z.null()]),
  streets: z.array(z.string()),
});

describe.each(MODELS)("%s", (model) => {
  test("answers a request full of fields", async () => {
    const answer = await client.chat.completions.create({ model, ...FULL });
    expect(answer.model).toBe(model);
    expect(answer.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, "stop"],
      [1, "stop"],
    ]);
    for (const { message } of answer.choices) expect(message.content).toStartWith("one two three");
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = answer.usage ?? {};
    expect(prompt_tokens * completion_tokens).toBeGreaterThan(0);
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  test("streams it", async () => {
    const stream = await client.chat.completions.create({
      model,
      ...FULL,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const pieces = choices.map(({ delta }) => delta.content ?? "").filter(Boolean);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join("")).toStartWith("one two three");
    expect(choices[0]?.delta.role).toBe("assistant");
    expect(choices.flatMap((choice) => choice.finish_reason ?? [])).toEqual(["stop"]);
    expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set([model]));
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  for (const stream of [false, true]) {
    test(`calls tools and answers with their results${stream ? ", streamed" : ""}`, async () => {
      const weather = zodFunction({
        name: "get_weather",
        parameters: z.object({ city: z.string().describe("Its name.") }),
        function: ({ city }) => ({ city, sky: "blue" }),
      });
      const given = { model, tools: [weather], messages: user(ASK_TWO), max_tokens: 500 };
      const { completions } = client.chat;
      const runner = stream ? completions.runTools({ ...given, stream }) : completions.runTools(given);
      const text = await runner.finalContent();
      expect(text).toContain('get_weather → {"city":"Oslo","sky":"blue"}');
      expect(text).toContain('get_weather → {"city":"Rome","sky":"blue"}');
      const calls = runner.messages.flatMap(
        (message) => ("tool_calls" in message && message.tool_calls) || [],
      );
      expect(calls.map(({ id }) => /^[\w-]{1,40}$/.test(id))).toEqual([true, true]);
    });
  }

  test("keeps to a schema", async () => {
    const given = { model, response_format: zodResponseFormat(City, "city"), messages: user("A city.") };
    const whole = await client.chat.completions.parse(given);
    expect(whole.choices[0]?.message.parsed?.twin.name).toBe("sample");
    const streamed = await client.chat.completions.stream(given).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed ?? null);
  });

  test("looks at a picture, or says that it can't", async () => {
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: PICTURE } },
    ];
    const work = client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    const { capabilities } = Object.assign({ capabilities: ["vision"] }, await found(model));
    if (capabilities.includes("vision")) {
      expect((await work).choices[0]?.message.content).toContain(PICTURE_SEEN);
    } else {
      const error = await failure(OpenAI.BadRequestError, work);
      expect(error).toMatchObject({ code: "unsupported_capability", param: "messages[0].content[1]" });
    }
  });

  test.each([
    ["400", OpenAI.BadRequestError, {}],
    ["context", OpenAI.BadRequestError, { code: "context_length_exceeded" }],
    ["filter", OpenAI.BadRequestError, { code: "content_filter" }],
    ["404", OpenAI.NotFoundError, { code: "model_not_found" }],
    ["429", OpenAI.RateLimitError, { code: "provider_busy" }],
    ["401", OpenAI.InternalServerError, { code: "upstream_auth" }],
    ["quota", OpenAI.InternalServerError, { code: "upstream_auth" }],
    ["529", OpenAI.APIError, {}],
    ["500", OpenAI.InternalServerError, { code: "upstream_error" }],
  ] as const)("fails as OpenAI would (%s)", async (trouble, kind, shows) => {
    for (const stream of [false, true]) {
      const given = { model: `${model}~${trouble}`, messages: user("say: hi"), stream };
      expect(
        await failure<InstanceType<typeof OpenAI.APIError>>(kind, client.chat.completions.create(given)),
      ).toMatchObject(shows);
    }
  });
});

/** The model's entry in the list; of an unlisted one nothing is known. */
async function found(model: string): Promise<object> {
  const models = await Array.fromAsync(client.models.list());
  return models.find(({ id }) => id === model) ?? {};
}
