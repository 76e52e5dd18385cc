// The AI SDK's own providers for Anthropic, OpenAI and Google, and openai-agents, each in its default mode against every dialect.
import { afterAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, isStepCount, type LanguageModel, streamText, tool } from "ai";
import { z } from "zod";
import { startUnderTest } from "../harness/harness.ts";
import { ASK_TWO } from "./setting.ts";

const DIALECTS = [
  "OpenAI#gpt-5.6-sol",
  "Responses#gpt-6.1-sol",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar-pro",
  "Cohere#command-a-03-2025",
  "Local#sim-think",
];

const under = await startUnderTest();
afterAll(() => under.stop());

const PROVIDERS: Readonly<Record<string, (id: string) => LanguageModel>> = {
  anthropic: (id) => createAnthropic({ baseURL: `${under.url}/v1`, apiKey: under.secret })(id),
  openai: (id) => createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret })(id),
  google: (id) =>
    createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret })(`models/${id.replace("#", "/")}`),
};

const get_weather = tool({
  description: "Today's weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "blue" }),
});

const CHAT = (id: string) => createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret }).chat(id);

// The simulated Perplexity searches and cites a page.
test.each(Object.entries({ ...PROVIDERS, chat: CHAT }))(
  "the AI SDK's %s lists the pages that an answer cites, whole and streamed",
  async (_name, model) => {
    const asked = { model: model("Perplexity#sonar-pro"), prompt: "say: good day", maxOutputTokens: 2000 };
    const listUrls = (sources: readonly { readonly sourceType: string }[]) =>
      sources.map((source) => ("url" in source ? source.url : source.sourceType));
    const { sources } = await generateText(asked);
    expect(listUrls(sources)).toEqual([expect.stringMatching(/^https:/)]);
    const stream = streamText(asked);
    expect(listUrls(await stream.sources)).toEqual(listUrls(sources));
  },
);

for (const [name, model] of Object.entries(PROVIDERS)) {
  describe(`the AI SDK's ${name}`, () => {
    test.each(DIALECTS)("text, whole and streamed, from %s", async (id) => {
      const { text, usage, finishReason } = await generateText({
        model: model(id),
        prompt: "say: good day",
        maxOutputTokens: 2000,
      });
      // The simulated Perplexity cites a source after its text.
      expect([text.replace("[1]", ""), finishReason]).toEqual(["good day", "stop"]);
      expect(usage.inputTokens).toBeGreaterThan(0);
      const stream = streamText({
        model: model(id),
        prompt: "say: good day",
        maxOutputTokens: 2000,
        onError: () => {},
      });
      let streamed = "";
      for await (const piece of stream.textStream) streamed += piece;
      expect([streamed.replace("[1]", ""), await stream.finishReason]).toEqual(["good day", "stop"]);
    });

    test.each(DIALECTS)("tools over several steps, from %s", async (id) => {
      const stream = streamText({
        model: model(id),
        prompt: ASK_TWO,
        tools: { get_weather },
        maxOutputTokens: 2000,
        onError: () => {},
        stopWhen: isStepCount(3),
      });
      await stream.consumeStream();
      const steps = await stream.steps;
      const cities = steps[0]?.toolCalls.map(({ input }) => input);
      expect(cities).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
      expect(steps.at(-1)?.text).toContain("blue");
    });
  });
}

describe("openai-agents", () => {
  test.each(DIALECTS)("runs a tool and answers, from %s", async (id) => {
    const modelProvider = new OpenAIProvider({ apiKey: under.secret, baseURL: `${under.url}/v1` });
    const weather = agentTool({
      name: "get_weather",
      description: "Today's weather in a city.",
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `${city} is blue`,
    });
    const agent = new Agent({ name: "Weather", instructions: "Be brief.", model: id, tools: [weather] });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const { finalOutput } = await runner.run(agent, ASK_TWO);
    expect(finalOutput).toContain("blue");
  });
});
