// OpenAI's JavaScript SDK against the running gateway: tools, the SDK's own tool runner, and structured output.
import { afterAll, describe, expect, test } from "bun:test";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import { ASK_ONE, ASK_TWO, PLAIN, startOpenAI, WEATHER } from "./setting.ts";

const { under, client } = await startOpenAI();
afterAll(() => under.stop());

const user = (content: string): ChatCompletionMessageParam[] => [{ role: "user", content }];
const tools = [{ type: "function" as const, function: WEATHER }];

const City = z.object({
  name: z.string(),
  inhabitants: z.number().int(),
  kind: z.enum(["harbour", "mountain"]).nullable(),
});
const A_CITY = { name: "sample", inhabitants: expect.any(Number), kind: "harbour" };

describe("tools", () => {
  test("are called, one or several at once", async () => {
    const ask = async (content: string) =>
      (await client.chat.completions.create({ model: PLAIN, tools, messages: user(content) })).choices[0];
    const one = await ask(ASK_ONE);
    expect(one?.finish_reason).toBe("tool_calls");
    expect(one?.message).toMatchObject({ content: null, tool_calls: [{ type: "function" }] });
    const two = (await ask(ASK_TWO))?.message.tool_calls ?? [];
    expect(two.map((call) => call.type === "function" && JSON.parse(call.function.arguments))).toEqual([
      { city: "Oslo" },
      { city: "Rome" },
    ]);
    expect(new Set(two.map((call) => call.id)).size).toBe(2);
  });

  test("are called one at a time if the client asks for that", async () => {
    const answer = await client.chat.completions.create({
      model: PLAIN,
      tools,
      parallel_tool_calls: false,
      messages: user(ASK_TWO),
    });
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test("stream their arguments in pieces", async () => {
    const fragments: string[] = [];
    const stream = client.chat.completions
      .stream({ model: PLAIN, tools, messages: user(ASK_TWO) })
      .on("tool_calls.function.arguments.delta", (event) =>
        fragments.push(`${event.index}${event.arguments_delta}`),
      );
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
    expect(message?.tool_calls?.map((call) => call.type === "function" && call.function.arguments)).toEqual([
      '{"city":"Oslo"}',
      '{"city":"Rome"}',
    ]);
    expect(fragments.filter((one) => one.startsWith("0") && one.length > 1).length).toBeGreaterThan(1);
    expect(fragments.filter((one) => one.startsWith("1") && one.length > 1).length).toBeGreaterThan(1);
  });

  for (const streamed of [false, true]) {
    test(`are run by the SDK's tool runner, ${streamed ? "streamed" : "whole"}`, async () => {
      const asked: string[] = [];
      const weather = zodFunction({
        name: "get_weather",
        parameters: z.object({ city: z.string() }),
        function: ({ city }) => {
          asked.push(city);
          return `sun in ${city}`;
        },
      });
      const given = { model: PLAIN, messages: user(ASK_TWO), tools: [weather] };
      const { completions } = client.chat;
      const runner = streamed
        ? completions.runTools({ ...given, stream: true })
        : completions.runTools(given);
      expect(await runner.finalContent()).toBe(
        "The tools answered: get_weather → sun in Oslo; get_weather → sun in Rome.",
      );
      expect(asked).toEqual(["Oslo", "Rome"]);
    });
  }
});

describe("structured output", () => {
  const response_format = zodResponseFormat(City, "city");

  test("is parsed by the schema that asked for it", async () => {
    const answer = await client.chat.completions.parse({
      model: PLAIN,
      response_format,
      messages: user("A city."),
    });
    expect<unknown>(answer.choices[0]?.message.parsed).toEqual(A_CITY);
  });

  test("is parsed at the end of a stream", async () => {
    const stream = client.chat.completions.stream({
      model: PLAIN,
      response_format,
      messages: user("A city."),
    });
    expect<unknown>((await stream.finalChatCompletion()).choices[0]?.message.parsed).toEqual(A_CITY);
  });

  test("is any JSON with json_object", async () => {
    const answer = await client.chat.completions.create({
      model: PLAIN,
      response_format: { type: "json_object" },
      messages: user("Some JSON."),
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ said: "Some JSON." });
  });

  test("is parsed out of a tool's arguments", async () => {
    const weather = zodFunction({ name: "get_weather", parameters: z.object({ city: z.string() }) });
    const answer = await client.chat.completions.parse({
      model: PLAIN,
      tools: [weather],
      messages: user(ASK_ONE),
    });
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && call.function.parsed_arguments).toEqual({ city: "Oslo" });
  });
});
