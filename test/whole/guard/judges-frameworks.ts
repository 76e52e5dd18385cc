// The AI SDK and LangChain as judges: each asks a question, whole or streamed.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { tool as makeLangChainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, type LanguageModel, Output, streamText, tool } from "ai";
import { z } from "zod";
import { WEATHER } from "../../clients/setting.ts";
import type { Ask } from "./judges-questions.ts";

const CITY = z.object({ city: z.string() });
const ADDRESS = z.object({ mail: z.string(), card: z.number().int() });

const TOOLS = { [WEATHER.name]: tool({ description: WEATHER.description, inputSchema: CITY }) };

function askAi(makeModel: (url: string, secret: string) => LanguageModel): Ask {
  return async ({ url, secret }, isStream, { prompt, kind }) => {
    const request = {
      model: makeModel(url, secret),
      prompt,
      maxRetries: 0,
      ...(kind === "calls" ? { tools: TOOLS } : {}),
      ...(kind === "format" ? { output: Output.object({ schema: ADDRESS }) } : {}),
    };
    const answer = isStream ? streamText(request) : await generateText(request);
    const calls = (await answer.toolCalls).map(({ toolName, input }) => [toolName, input]);
    return { text: await answer.text, calls, finish: await answer.finishReason };
  };
}

const find = makeLangChainTool(({ city }: z.infer<typeof CITY>) => city, {
  name: WEATHER.name,
  description: WEATHER.description,
  schema: CITY,
});

function askLangChain(model: string, useResponsesApi: boolean): Ask {
  return async ({ url, secret }, isStream, { prompt, kind }) => {
    const configuration = { baseURL: `${url}/v1` };
    const chat = new ChatOpenAI({ model, apiKey: secret, maxRetries: 0, configuration, useResponsesApi });
    const asked = kind === "calls" ? chat.bindTools([find]) : chat;
    const messages = [new HumanMessage(prompt)];
    const answer = isStream
      ? (await Array.fromAsync(await asked.stream(messages))).reduce(
          (sum, chunk) => sum.concat(chunk),
          new AIMessageChunk(""),
        )
      : await asked.invoke(messages);
    const calls = (answer.tool_calls ?? []).map(({ name, args }) => [name, args]);
    return { text: answer.text, calls, finish: null };
  };
}

export const FRAMEWORKS: readonly (readonly [string, Ask])[] = [
  [
    "the AI SDK's Anthropic on Anthropic",
    askAi((url, apiKey) => createAnthropic({ apiKey, baseURL: `${url}/v1` })("Anthropic#claude-haiku-4-5")),
  ],
  [
    "the AI SDK's Google on Google",
    askAi((url, apiKey) =>
      createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })("Google/gemini-3.5-flash"),
    ),
  ],
  [
    "the AI SDK's OpenAI on Responses",
    askAi((url, apiKey) => createOpenAI({ apiKey, baseURL: `${url}/v1` })("Responses#gpt-6.1-sol")),
  ],
  [
    "the AI SDK's OpenAI chat on Google",
    askAi((url, apiKey) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat("Google#gemini-3.5-flash")),
  ],
  ["LangChain's chat on OpenAI", askLangChain("OpenAI#gpt-5.6-sol", false)],
  ["LangChain's chat on Anthropic", askLangChain("Anthropic#claude-haiku-4-5", false)],
  ["LangChain's Responses on Responses", askLangChain("Responses#gpt-6.1-sol", true)],
];
