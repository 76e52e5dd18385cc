// Shared by the tests with Google's Interactions API: a client, and an answer read whole or put together from its events.
import { GoogleGenAI, type Interactions } from "@google/genai";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { foldEvents } from "../../surfaces/interactions/interactions-read.ts";
import { PLAIN, WEATHER } from "../setting.ts";

/** One model of each family: chat completions, Messages, Gemini, Responses. */
export const FAMILIES = [
  PLAIN,
  "Anthropic#claude-opus-5-5",
  "Google#gemini-3.5-flash",
  "Responses#gpt-6.1-sol",
];
export const TOOLS: Interactions.Tool[] = [
  { type: "function", name: WEATHER.name, description: WEATHER.description, parameters: WEATHER.parameters },
];

export const KEEPING = { more: "responses: { keep: 30d, max_bytes: 1MB }" };

export type Asked = Omit<Interactions.CreateModelInteractionParamsNonStreaming, "stream">;
/** The parts of an answer that whole ones and streams share. */
interface Seen {
  readonly id: string;
  readonly status: unknown;
  readonly steps: readonly JsonObject[];
  readonly usage: JsonObject;
}

/** Of a call that is sent once. The SDK doesn't read its client's `retryOptions` for interactions. */
export const ONCE = { maxRetries: 0 };

/** A client that never retries, and its ways to ask. */
export class InteractionsClient {
  readonly sdk: GoogleGenAI;

  constructor({ url: baseUrl }: UnderTest, apiKey: string) {
    this.sdk = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
  }

  readonly whole = async (asked: Asked): Promise<Seen> => {
    const { id, status, steps, usage } = await this.sdk.interactions.create(asked, ONCE);
    return { id: id ?? "", status, steps: asArray(steps).map(asObject), usage: asObject(usage) };
  };

  readonly streamed = async (asked: Asked): Promise<Seen> => {
    const events = await Array.fromAsync(
      await this.sdk.interactions.create({ ...asked, stream: true }, ONCE),
    );
    const { id, status, steps, usage } = foldEvents(events.map(asObject));
    return { id: String(id), status, steps: asArray(steps).map(asObject), usage: asObject(usage) };
  };

  get ways() {
    return [this.whole, this.streamed];
  }
}

export function readText({ steps }: Seen): string {
  return steps
    .flatMap(({ type, content }) => (type === "model_output" ? asArray(content) : []))
    .map((content) => asObject(content).text)
    .join("");
}

export function listCalls({ steps }: Seen): readonly JsonObject[] {
  return steps.filter(({ type }) => type === "function_call");
}

/** A result for each call. */
export function answerCalls(calls: readonly JsonObject[]): Interactions.Step[] {
  return calls.map(({ id, name }) => ({
    type: "function_result",
    call_id: String(id),
    name: String(name),
    result: "7 degrees, rain",
  }));
}
