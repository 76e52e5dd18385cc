// Frameworks in which developers write agents, over models that bind their thinking to what stood before it: where they only add
// to a conversation, the provider reads what it has read before, and more at the end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { IS_LONG } from "../../harness/long.ts";
import { hasThinking, listBroken, type Recorded, SEEN_HEAD, startRecorded, tellSeen } from "./recorded.ts";

const MODELS = ["Anthropic#claude-opus-5-5", "OpenAI#gpt-6.2-sol"];
const WORD = "the word is zebra";
const CITIES = ["Oslo", "Rome", "Lima"];
const STEPS = [...CITIES.map((city) => `call get_weather({"city":"${city}"})`), "say: that is all"];
const PROMPTS = [
  [WORD, ...STEPS.map((step, at) => `step ${at + 1}: ${step}`)].join("\n"),
  "step 1: say: and once more",
];
const DESCRIPTION = "Today's weather in a city.";
const schema = z.object({ city: z.string() });
const tellWeather = ({ city }: { readonly city: string }) => `7 degrees in ${city}`;

interface Run {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  readonly streams: boolean;
}

interface Framework {
  readonly name: string;
  /** True if it gives the thinking of its answers back. */
  readonly returnsThinking: boolean;
  readonly isMissing?: boolean;
  /** Plays the conversation. Returns the text of its last answer. */
  play(run: Run): Promise<string>;
}

async function playLangChain(
  { url, secret, model, streams }: Run,
  useResponsesApi: boolean,
): Promise<string> {
  const effort = useResponsesApi
    ? { reasoning: { effort: "low" as const }, zdrEnabled: true }
    : { modelKwargs: { reasoning_effort: "low" } };
  const fields = { model, apiKey: secret, maxRetries: 0, configuration: { baseURL: `${url}/v1` } };
  const weather = langchainTool(tellWeather, { name: "get_weather", description: DESCRIPTION, schema });
  const chat = new ChatOpenAI({ ...fields, useResponsesApi, ...effort }).bindTools([weather]);
  const ask = async (history: BaseMessage[]) => {
    if (!streams) return await chat.invoke(history);
    const pieces = await Array.fromAsync(await chat.stream(history));
    return pieces.reduce((sum, piece) => sum.concat(piece), new AIMessageChunk(""));
  };
  const history: BaseMessage[] = [];
  let text = "";
  for (const prompt of PROMPTS) {
    history.push(new HumanMessage(prompt));
    for (let isOver = false; !isOver; ) {
      const answer = await ask(history);
      history.push(answer);
      text = answer.text;
      const calls = answer.tool_calls ?? [];
      isOver = calls.length === 0;
      for (const call of calls) {
        const result: unknown = await weather.invoke({ ...call, type: "tool_call" });
        if (result instanceof ToolMessage) history.push(result);
      }
    }
  }
  return text;
}

async function playAiSdk({ url, secret, model, streams }: Run): Promise<string> {
  const provider = createOpenRouter({ apiKey: secret, baseURL: `${url}/v1` });
  const tools = {
    get_weather: tool({ description: DESCRIPTION, inputSchema: schema, execute: tellWeather }),
  };
  const terms = {
    model: provider(model, { reasoning: { effort: "low" } }),
    tools,
    stopWhen: stepCountIs(CITIES.length + 1),
    maxRetries: 0,
  };
  const messages: ModelMessage[] = [];
  let text = "";
  for (const prompt of PROMPTS) {
    messages.push({ role: "user", content: prompt });
    const result = streams ? streamText({ ...terms, messages }) : await generateText({ ...terms, messages });
    text = await result.text;
    messages.push(...(await result.response).messages);
  }
  return text;
}

const PYTHON = join(import.meta.dir, "..", "..", "..", ".venv", "frameworks", "bin", "python");
const SCRIPT = join(import.meta.dir, "langchain_turns.py");

async function playPython({ url, secret, model, streams }: Run, surface: string): Promise<string> {
  const { world } = recorded;
  const command = [PYTHON, SCRIPT, url, secret, model, surface, streams ? "streamed" : "whole", ...PROMPTS];
  const env = { PATH: process.env.PATH ?? "", HOME: world.directory, PYTHONDONTWRITEBYTECODE: "1" };
  const child = Bun.spawn(command, { cwd: world.directory, env, stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim();
}

/** A start of LangChain takes seconds. */
const isMissing = !IS_LONG || !existsSync(PYTHON);
const FRAMEWORKS: readonly Framework[] = [
  { name: "LangChain (JavaScript)", returnsThinking: false, play: (run) => playLangChain(run, false) },
  {
    name: "LangChain (JavaScript) by Responses",
    returnsThinking: true,
    play: (run) => playLangChain(run, true),
  },
  { name: "the AI SDK with OpenRouter's provider", returnsThinking: true, play: playAiSdk },
  {
    name: "LangChain (Python)",
    returnsThinking: false,
    isMissing,
    play: (run) => playPython(run, "chat"),
  },
  {
    name: "LangChain (Python) by Responses",
    returnsThinking: true,
    isMissing,
    play: (run) => playPython(run, "responses"),
  },
];

let recorded: Recorded;
beforeAll(async () => {
  recorded = await startRecorded();
});
afterAll(async () => {
  console.log([SEEN_HEAD, ...seen].join("\n"));
  await recorded.stop();
});
const seen: string[] = [];

const ROWS = FRAMEWORKS.flatMap((framework) =>
  MODELS.flatMap((model) => [false, true].map((streams) => ({ ...framework, model, streams }))),
);

describe.each(ROWS)(
  "$name over $model, streamed: $streams",
  ({ name, isMissing, returnsThinking, play, model, streams }) => {
    test.skipIf(isMissing === true)(
      "five turns",
      async () => {
        recorded.take(WORD);
        const { secret } = recorded.world;
        expect(await play({ url: recorded.url, secret, model, streams })).toBe("and once more");
        const taken = recorded.take(WORD);
        seen.push(tellSeen(`${name}${streams ? ", streamed" : ""}`, model, taken));
        expect(taken.sent).toHaveLength(STEPS.length + 1);
        expect([listBroken(taken), taken.refused]).toEqual([[], 0]);
        expect([hasThinking(taken.asked), hasThinking(taken.sent)]).toEqual([
          returnsThinking,
          returnsThinking,
        ]);
      },
      60_000,
    );
  },
);
