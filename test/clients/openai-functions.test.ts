// OpenAI's JavaScript SDK: deprecated `functions`, answered in the same form by every dialect.
import { afterAll, describe, expect, test } from "bun:test";
import type {
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { PROVIDER_NAMES } from "../whole/world/world.ts";
import { ASK_ONE, ASK_TWO, startOpenAI, WEATHER } from "./setting.ts";

const { under, client } = await startOpenAI();
afterAll(() => under.stop());

const user = (content: string): ChatCompletionMessageParam[] => [{ role: "user", content }];
const OSLO = { name: WEATHER.name, arguments: expect.stringMatching(/^\{\s*"city":\s*"Oslo"\s*\}$/) };

function withoutTools(message: ChatCompletionMessage | undefined) {
  expect(message).not.toHaveProperty("tool_calls");
  return message?.function_call;
}

describe.each([...PROVIDER_NAMES])("%s", (provider) => {
  const model = `${provider}#sim-mini`;
  const asking = (content: string) => ({ model, functions: [WEATHER], messages: user(content) });

  test("a call and its result", async () => {
    const { choices } = await client.chat.completions.create(asking(ASK_ONE));
    expect(choices[0]?.finish_reason).toBe("function_call");
    expect(choices[0]?.message.content).toBeNull();
    expect(withoutTools(choices[0]?.message)).toEqual(OSLO);
    const message = choices[0]?.message;
    const messages: ChatCompletionMessageParam[] = [
      ...user(ASK_ONE),
      ...(message ? [message] : []),
      { role: "function", name: WEATHER.name, content: "rain" },
    ];
    const told = await client.chat.completions.create({ model, functions: [WEATHER], messages });
    expect(told.choices[0]?.finish_reason).toBe("stop");
    expect(told.choices[0]?.message.content).toContain("rain");
    expect(withoutTools(told.choices[0]?.message)).toBeUndefined();
  });

  test("a streamed call: the name once, the arguments in pieces", async () => {
    const pieces: ChatCompletionChunk.Choice[] = [];
    for await (const { choices } of await client.chat.completions.create({
      ...asking(ASK_ONE),
      stream: true,
    }))
      pieces.push(...choices);
    const calls = pieces.flatMap(({ delta }) => delta.function_call ?? []);
    expect(calls.map(({ name }) => name).filter(Boolean)).toEqual([WEATHER.name]);
    expect(calls.map(({ arguments: piece }) => piece ?? "").join("")).toEqual(OSLO.arguments);
    expect(pieces.some(({ delta }) => delta.tool_calls)).toBe(false);
    expect(pieces.at(-1)?.finish_reason).toBe("function_call");
  });

  test("only one call is reported, as the format has room for one", async () => {
    const { choices } = await client.chat.completions.create(asking(ASK_TWO));
    expect(withoutTools(choices[0]?.message)).toEqual(OSLO);
    const final = await client.chat.completions.stream(asking(ASK_TWO)).finalMessage();
    expect(final.function_call).toEqual(OSLO);
  });

  test("a text answer and a forced call", async () => {
    const words = await client.chat.completions.create({ ...asking(ASK_ONE), function_call: "none" });
    expect(words.choices[0]?.finish_reason).toBe("stop");
    expect(withoutTools(words.choices[0]?.message)).toBeUndefined();
    const forced = await client.chat.completions.create({
      ...asking("hello"),
      function_call: { name: WEATHER.name },
    });
    expect(withoutTools(forced.choices[0]?.message)?.name).toBe(WEATHER.name);
  });
});

test("are ignored beside tools, or if empty", async () => {
  const tools = [{ type: "function" as const, function: WEATHER }];
  const model = "OpenAI#sim-mini";
  for (const functions of [[WEATHER], []]) {
    const { choices } = await client.chat.completions.create({
      model,
      tools,
      functions,
      messages: user(ASK_ONE),
    });
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(choices[0]?.message).not.toHaveProperty("function_call");
  }
});
