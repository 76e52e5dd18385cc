// Google's Interactions API with Google's own JavaScript SDK and the AI SDK, over every family: steps, tools, thinking, streams.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGoogle } from "@ai-sdk/google";
import type { Interactions } from "@google/genai";
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ASK_ONE, ASK_TWO, failure, PICTURE, PICTURE_SEEN, PLAIN, THINKING, WEATHER } from "../setting.ts";
import {
  answerCalls,
  FAMILIES,
  InteractionsClient,
  KEEPING,
  listCalls,
  readText,
  TOOLS,
} from "./interactions-setting.ts";

let under: UnderTest;
let client: InteractionsClient;

beforeAll(async () => {
  under = await startUnderTest(KEEPING);
  client = new InteractionsClient(under, under.secret);
});
afterAll(() => under.stop());

describe.each(FAMILIES)("%s", (model) => {
  test("answers whole and streamed alike", async () => {
    for (const ask of client.ways) {
      const seen = await ask({
        model,
        input: "say: good day",
        system_instruction: "Be brief.",
        store: false,
      });
      expect(readText(seen)).toContain("good day");
      expect(seen.status).toBe("completed");
      const { total_input_tokens, total_output_tokens, total_thought_tokens, total_tokens } = seen.usage;
      expect(Number(total_tokens)).toBe(
        Number(total_input_tokens) + Number(total_output_tokens) + Number(total_thought_tokens),
      );
      expect(seen.usage).toMatchObject({ cost: expect.any(Number), charged: 0 });
    }
  });

  test("sees a picture", async () => {
    const [, data] = PICTURE.split(",");
    const image = { type: "image" as const, mime_type: "image/png", data };
    const seen = await client.whole({ model, input: [{ type: "text", text: "describe" }, image] });
    expect(readText(seen)).toContain(PICTURE_SEEN);
  });

  test("calls functions in parallel and goes on from their results, by its whole history", async () => {
    for (const ask of client.ways) {
      const first = await ask({ model, input: ASK_TWO, tools: TOOLS, store: false });
      expect(first.status).toBe("requires_action");
      const calls = listCalls(first);
      expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      const history = [
        { type: "user_input", content: [{ type: "text", text: ASK_TWO }] },
        ...first.steps,
        ...answerCalls(calls),
      ] as Interactions.Step[];
      const second = await ask({ model, input: history, tools: TOOLS, store: false });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });

  test("only needs the results by id, whole and streamed", async () => {
    for (const ask of client.ways) {
      const first = await ask({ model, input: ASK_ONE, tools: TOOLS });
      const previous_interaction_id = first.id;
      const second = await ask({
        model,
        input: answerCalls(listCalls(first)),
        tools: TOOLS,
        previous_interaction_id,
      });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });
});

test("thinking is shown if it is asked for, and comes back without being shown", async () => {
  for (const ask of client.ways) {
    for (const thinking_summaries of ["auto", "none"] as const) {
      const generation_config = { thinking_level: "low" as const, thinking_summaries };
      const first = await ask({
        model: THINKING,
        input: ASK_ONE,
        tools: TOOLS,
        generation_config,
        store: false,
      });
      const [thought] = first.steps.filter(({ type }) => type === "thought");
      expect(thought?.signature).toBeString();
      expect(asArray(thought?.summary).length).toBe(thinking_summaries === "auto" ? 1 : 0);
      const input = [
        { type: "user_input", content: [{ type: "text", text: ASK_ONE }] },
        ...first.steps,
        ...answerCalls(listCalls(first)),
      ] as Interactions.Step[];
      await ask({ model: THINKING, input, tools: TOOLS, store: false });
      expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain("reasoning_content");
    }
  }
});

test("a failure behind the first byte is an error event, and nothing after it", async () => {
  const events = await client.sdk.interactions.create({
    model: `${PLAIN}~cut`,
    input: "say: a b c d e f",
    stream: true,
  });
  const names = (await Array.fromAsync(events)).map((event) => asObject(event).event_type);
  expect(names.at(-1)).toBe("error");
  expect(names).not.toContain("interaction.completed");
});

test("the SDK's errors have their class", async () => {
  const { sdk: other } = new InteractionsClient(under, "pk-nobody");
  const input = "a";
  expect(await failure(Error, other.interactions.create({ model: PLAIN, input }))).toMatchObject({
    status: 401,
  });
  const missing = client.sdk.interactions.create({ model: "Acme#nobody", input });
  expect(await failure(Error, missing)).toMatchObject({ status: 404 });
});

describe.each(FAMILIES)("the AI SDK over %s", (model) => {
  const weather = tool({
    description: WEATHER.description,
    inputSchema: z.object({ city: z.string() }),
    execute: () => "7 degrees, rain",
  });

  test("runs tools over several steps, whole and streamed", async () => {
    const google = createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret });
    const asked = {
      model: google.interactions(model),
      prompt: ASK_TWO,
      tools: { get_weather: weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    };
    expect((await generateText(asked)).text).toContain("7 degrees, rain");
    expect(await streamText(asked).text).toContain("7 degrees, rain");
  });

  test("keeps to a schema, whole and streamed", async () => {
    const google = createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret });
    const schema = z.object({ name: z.string().min(2), size: z.number().int().nullable() });
    const asked = {
      model: google.interactions(model),
      prompt: "A city.",
      output: Output.object({ schema }),
      maxRetries: 0,
    };
    const { output } = await generateText(asked);
    expect(output).toEqual({ name: "sample", size: expect.any(Number) });
    expect(await streamText(asked).output).toEqual(output);
  });

  test("goes on by id", async () => {
    const google = createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret });
    const asked = { model: google.interactions(model), maxRetries: 0 };
    const first = await generateText({ ...asked, prompt: "say: one" });
    const previousInteractionId = String(first.providerMetadata?.google?.interactionId);
    const providerOptions = { google: { previousInteractionId } };
    const second = await generateText({ ...asked, prompt: "say: two", providerOptions });
    expect(second.text).toContain("two");
    expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain("say: one");
  });
});
