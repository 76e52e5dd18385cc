// OpenAI's agents SDK in its default mode, the Responses API, against the running gateway: streams, and histories sent back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_TWO, EACH_DIALECT } from "./setting.ts";

let under: UnderTest;
let runner: Runner;

beforeAll(async () => {
  under = await startUnderTest();
  const modelProvider = new OpenAIProvider({
    apiKey: under.secret,
    baseURL: `${under.url}/v1`,
    useResponses: true,
  });
  runner = new Runner({ modelProvider, tracingDisabled: true });
});
afterAll(() => under.stop());

describe.each(EACH_DIALECT)("%s", (model) => {
  const makeAgent = (seen: string[]) =>
    new Agent({
      name: "Weather",
      instructions: "Be brief.",
      model,
      tools: [
        tool({
          name: "get_weather",
          description: "Today's weather in a city.",
          parameters: z.object({ city: z.string() }),
          execute: async ({ city }) => {
            seen.push(city);
            return "rain";
          },
        }),
      ],
    });

  test("runs tools while streaming and continues from the history", async () => {
    const seen: string[] = [];
    const agent = makeAgent(seen);
    const first = await runner.run(agent, ASK_TWO, { stream: true });
    await first.completed;
    expect(seen).toEqual(["Oslo", "Rome"]);
    const again = await runner.run(agent, [...first.history, { role: "user", content: "say: both seen" }]);
    expect(again.finalOutput).toContain("both seen");
  });
});
