// Google's Interactions API with Google's own JavaScript SDK, over every dialect: steps, tools, thinking, streams and state.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI, type Interactions } from "@google/genai";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_ONE, ASK_TWO, PICTURE, PICTURE_SEEN, PLAIN, THINKING, WEATHER } from "./setting.ts";

/** One model of each family: chat completions, Messages, Gemini, Responses. */
const FAMILIES = [PLAIN, "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash", "Responses#gpt-6.1-sol"];
const TOOLS: Interactions.Tool[] = [
  { type: "function", name: WEATHER.name, description: WEATHER.description, parameters: WEATHER.parameters },
];

let under: UnderTest;
let client: GoogleGenAI;

beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 30d, max_bytes: 1MB }" });
  client = new GoogleGenAI({
    apiKey: under.secret,
    httpOptions: { baseUrl: under.url, retryOptions: { attempts: 1 } },
  });
});
afterAll(() => under.stop());

type Asked = Omit<Interactions.CreateModelInteractionParamsNonStreaming, "stream">;
/** The parts of an answer that whole ones and streams share. */
interface Seen {
  readonly id: string;
  readonly status: unknown;
  readonly steps: readonly JsonObject[];
  readonly usage: JsonObject;
}

async function askWhole(asked: Asked): Promise<Seen> {
  const { id, status, steps, usage } = await client.interactions.create(asked);
  return { id: id ?? "", status, steps: asArray(steps).map(asObject), usage: asObject(usage) };
}

/** Folds the events as a client does. */
async function askStreamed(asked: Asked): Promise<Seen> {
  return foldEvents(await client.interactions.create({ ...asked, stream: true }));
}

async function foldEvents(events: AsyncIterable<unknown>): Promise<Seen> {
  const steps: JsonObject[] = [];
  let last: JsonObject = {};
  for await (const one of events) {
    const event = asObject(one);
    const index = Number(event.index);
    if (event.event_type === "step.start") steps[index] = { ...asObject(event.step) };
    if (event.event_type === "step.delta") steps[index] = addDelta(steps[index] ?? {}, asObject(event.delta));
    if (event.event_type === "step.stop") steps[index] = closeStep(steps[index] ?? {});
    if (event.event_type === "interaction.completed") last = asObject(event.interaction);
  }
  return { id: String(last.id), status: last.status, steps, usage: asObject(last.usage) };
}

function addDelta(step: JsonObject, { type, ...delta }: JsonObject): JsonObject {
  const [content = { type: "text", text: "" }] = asArray(step.content).map(asObject);
  switch (type) {
    case "text":
      return { ...step, content: [{ ...content, text: `${content.text}${delta.text}` }] };
    case "text_annotation_delta": {
      const annotations = [...asArray(content.annotations), ...asArray(delta.annotations)];
      return { ...step, content: [{ ...content, annotations }] };
    }
    case "thought_summary": {
      const [before] = asArray(step.summary).map(asObject);
      const text = `${before?.text ?? ""}${asObject(delta.content).text}`;
      return { ...step, summary: [{ type: "text", text }] };
    }
    case "thought_signature":
      return { ...step, signature: delta.signature };
    case "arguments_delta":
      return { ...step, json: `${step.json ?? ""}${delta.arguments}` };
    default:
      return { ...step, ...delta };
  }
}

function closeStep({ json, ...step }: JsonObject): JsonObject {
  return json === undefined ? step : { ...step, arguments: JSON.parse(String(json)) };
}

const WAYS = [askWhole, askStreamed];

function readText({ steps }: Seen): string {
  return steps
    .flatMap(({ type, content }) => (type === "model_output" ? asArray(content) : []))
    .map((content) => asObject(content).text)
    .join("");
}

function listCalls({ steps }: Seen): readonly JsonObject[] {
  return steps.filter(({ type }) => type === "function_call");
}

function answer(calls: readonly JsonObject[]): Interactions.Step[] {
  return calls.map(({ id, name }) => ({
    type: "function_result",
    call_id: String(id),
    name: String(name),
    result: "7 degrees, rain",
  }));
}

describe.each(FAMILIES)("%s", (model) => {
  test("answers whole and streamed alike", async () => {
    for (const ask of WAYS) {
      const seen = await ask({ model, input: "say: good day", system_instruction: "Be brief.", store: false });
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
    const seen = await askWhole({ model, input: [{ type: "text", text: "describe" }, image] });
    expect(readText(seen)).toContain(PICTURE_SEEN);
  });

  test("calls functions in parallel and goes on from their results, by its whole history", async () => {
    for (const ask of WAYS) {
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
        ...answer(calls),
      ] as Interactions.Step[];
      const second = await ask({ model, input: history, tools: TOOLS, store: false });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });

  test("only needs the results by id, whole and streamed", async () => {
    for (const ask of WAYS) {
      const first = await ask({ model, input: ASK_ONE, tools: TOOLS });
      const previous_interaction_id = first.id;
      const second = await ask({ model, input: answer(listCalls(first)), tools: TOOLS, previous_interaction_id });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });
});
