// One program with OpenAI's JavaScript SDK, run against every dialect: changing the model needs no other change.
import { afterAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { ASK_TWO, EACH_DIALECT, failure, PICTURE, PICTURE_SEEN, startOpenAI } from "./setting.ts";

/** The models of one dialect refuse different fields. */
const MODELS = [
  ...EACH_DIALECT,
  "OpenAI#gpt-5.4",
  "Mistral#magistral-medium-latest",
  "Perplexity#sonar",
  "Cohere#command-a-reasoning-08-2025",
];

const { under, client } = await startOpenAI();
afterAll(() => under.stop());

/** A request with most of the fields that programs set. Each provider refuses some of them. */
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
  test("answers a request with many fields", async () => {
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
    test(`calls tools and answers from their results${stream ? ", streamed" : ""}`, async () => {
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

  test("follows a schema", async () => {
    const given = { model, response_format: zodResponseFormat(City, "city"), messages: user("A city.") };
    const whole = await client.chat.completions.parse(given);
    expect(whole.choices[0]?.message.parsed?.twin.name).toBe("sample");
    const streamed = await client.chat.completions.stream(given).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed ?? null);
  });

  test("looks at a picture or reports that it can't", async () => {
    const capabilities = await capabilitiesOf(model);
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url: PICTURE } },
    ];
    const work = client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    if (capabilities.includes("vision")) {
      expect((await work).choices[0]?.message.content).toContain(PICTURE_SEEN);
    } else {
      const error = await failure(OpenAI.BadRequestError, work);
      expect(error).toMatchObject({ code: "unsupported_capability", param: "messages[0].content[1]" });
    }
  });
});

/** Returns a model's capabilities from the model list. A model that isn't listed counts as able to see. */
async function capabilitiesOf(model: string): Promise<readonly unknown[]> {
  const models = await Array.fromAsync(client.models.list());
  const entry = asObject(models.find(({ id }) => id === model));
  return entry.capabilities === undefined ? ["vision"] : asArray(entry.capabilities);
}

const { BadRequestError, RateLimitError, InternalServerError, APIError } = OpenAI;

/** Each failure of the provider, with the SDK's exception for it. */
const TROUBLES = [
  { trouble: "400", kind: BadRequestError, shows: { type: "invalid_request_error" } },
  { trouble: "context", kind: BadRequestError, shows: { code: "context_length_exceeded" } },
  { trouble: "429", kind: RateLimitError, shows: { code: "provider_busy" } },
  { trouble: "401", kind: InternalServerError, shows: { status: 502, code: "upstream_auth" } },
  { trouble: "quota", kind: InternalServerError, shows: { status: 502, code: "upstream_auth" } },
  { trouble: "500", kind: InternalServerError, shows: { status: 502, code: "upstream_error" } },
];

describe.each([
  "OpenAI#gpt-5.4",
  "Responses#gpt-5.6-sol",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-2.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar",
  "Cohere#command-a-03-2025",
  "Local#sim-mini",
])("when the provider of %s fails", (model) => {
  for (const { trouble, kind, shows } of TROUBLES) {
    for (const stream of [false, true]) {
      test(`the error is as OpenAI's own (${trouble}${stream ? ", streamed" : ""})`, async () => {
        const given = { model: `${model}~${trouble}`, messages: user("say: hi"), stream };
        const error: InstanceType<typeof APIError> = await failure(
          kind,
          client.chat.completions.create(given),
        );
        expect(error).toMatchObject(shows);
      });
    }
  }

  test("an error in mid-stream is thrown after the pieces received", async () => {
    const pieces: string[] = [];
    const reading = async () => {
      const given = { model: `${model}~pace=200~error-mid`, messages: user("say: one two three") };
      const stream = await client.chat.completions.create({ ...given, stream: true });
      for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? "");
    };
    const error = await failure(APIError, reading());
    expect(error.status).toBeUndefined();
    expect(["upstream_error", "provider_busy"]).toContain(error.code ?? "");
    expect(pieces.join("")).toStartWith("one");
  });
});
