// Web search in the AI SDK: each vendor's own tool, over the models of the others.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import { asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

const prompt = "Please search for something.";

const chosen = { type: "tool", toolName: "web_search" } as const;

/** An answer's text and the addresses of its sources. */
interface Found {
  readonly text: string;
  readonly sources: readonly unknown[];
}

async function readStream({
  text,
  sources,
}: {
  text: PromiseLike<string>;
  sources: PromiseLike<Found["sources"]>;
}) {
  return { text: await text, sources: await sources };
}

const TOOLS: Readonly<Record<string, (id: string) => Promise<readonly Found[]>>> = {
  async anthropic(id) {
    const vendor = createAnthropic({ apiKey: world.secret, baseURL: `${world.url}/v1` });
    const tools = { web_search: vendor.tools.webSearch_20250305({ maxUses: 2 }) };
    const call = { model: vendor(id), maxOutputTokens: 1000, tools, toolChoice: chosen, prompt };
    return [await generateText(call), await readStream(streamText(call))];
  },
  async openai(id) {
    const vendor = createOpenAI({ apiKey: world.secret, baseURL: `${world.url}/v1` });
    const tools = { web_search: vendor.tools.webSearch({}) };
    const call = { model: vendor.responses(id), tools, toolChoice: chosen, prompt };
    return [await generateText(call), await readStream(streamText(call))];
  },
};

const MODELS = ["Anthropic#claude-sonnet-5", "OpenAI#gpt-5.4", "Google#gemini-3.5-flash", "Perplexity#sonar"];
const rows = Object.keys(TOOLS).flatMap((tool) => MODELS.map((id) => [tool, id] as const));

// Google's tool is not among them: the AI SDK sends it only to models whose names it knows to be Google's.
test.each(rows)("the tool of %s over %s", async (tool, id) => {
  for (const { sources, text } of (await TOOLS[tool]?.(id)) ?? []) {
    expect(text).not.toBe("");
    expect(sources.map((source) => asObject(source).url)).toContain("https://example.com/one");
  }
});
