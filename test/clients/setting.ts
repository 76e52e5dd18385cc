// Shared by the tests with real SDKs: a tool, a picture, failures by their class, and a proxy that counts requests.
import OpenAI from "openai";
import { asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

/** A model of an OpenAI-compatible server that the catalogue doesn't know. The simulator's controls may follow. */
export const PLAIN = "Local#sim-mini";
/** A model that thinks visibly. */
export const THINKING = "Local#sim-think";

/** At least one model of each dialect. */
export const EACH_DIALECT = [
  "OpenAI#gpt-4.1-mini",
  "OpenAI#gpt-5.6-sol",
  "Responses#gpt-6.1-sol",
  "Anthropic#claude-haiku-4-5",
  "Anthropic#claude-opus-5-5",
  "Google#gemini-2.5-flash",
  "Google#gemini-3.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar-pro",
  "Cohere#command-a-03-2025",
  "Local#sim-mini",
  "Local#sim-think",
];

export const WEATHER = {
  name: "get_weather",
  description: "Today's weather in a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
} as const;

/** The same tool in the Responses API. */
export const WEATHER_FUNCTION: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: WEATHER.name,
  description: WEATHER.description,
  parameters: { ...WEATHER.parameters },
  strict: true,
};

/** One model of each dialect, for frameworks whose own requests differ little. */
export const DIALECTS = [
  "OpenAI#gpt-5.6-sol",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar-pro",
  "Cohere#command-a-03-2025",
  PLAIN,
];

/** Prompts after which the simulated models call the tool, once or twice. */
export const ASK_ONE = 'call get_weather({"city":"Oslo"})';
export const ASK_TWO = 'call get_weather({"city":"Oslo"}) and call get_weather({"city":"Rome"})';

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** One pixel as a data URL. The simulated models state the number of bytes received. */
export const PICTURE = `data:image/png;base64,${PIXEL}`;
export const PICTURE_BYTES = Uint8Array.fromBase64(PIXEL);
export const PICTURE_SEEN = `[image image/png ${PICTURE_BYTES.length} bytes]`;

/** The error of this class with which the work fails. Anything else is rethrown. */
export async function failure<Kind extends Error>(
  kind: abstract new (...args: never[]) => Kind,
  work: PromiseLike<unknown>,
): Promise<Kind> {
  const error = await work.then(
    () => new Error(`nothing failed, a ${kind.name} was expected`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof kind) return error;
  throw error;
}

/** Returns the used part of a key's allowance and the time of its next slot, from the key's own route. */
export async function readStanding(url: string, secret: string) {
  const response = await fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  const { used, next_slot_at } = asObject(asObject(await response.json()).allowance);
  return { used, next_slot_at };
}

export interface Door {
  readonly url: string;
  /** The status codes of all answers through it. */
  readonly statuses: readonly number[];
  /** The status codes of answers to requests with a body. */
  readonly posts: readonly number[];
  stop(): Promise<void>;
}

/** Called for requests with a body. */
interface DoorHooks {
  /** Each waits for it. */
  readonly before?: () => Promise<void>;
  /** Called after each answer's head, with the status codes of all. */
  readonly after?: (posts: readonly number[]) => void;
}

/** A proxy to the gateway that counts what an SDK really sends, its silent retries included. */
export function doorTo(target: string, { before, after }: DoorHooks = {}): Door {
  const statuses: number[] = [];
  const posts: number[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // Keep-alives are 15 s apart.
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers, body, signal } = request;
      if (method === "POST") await before?.();
      const answer = await fetch(target + pathname + search, { method, headers, body, signal });
      statuses.push(answer.status);
      if (method === "POST") {
        posts.push(answer.status);
        after?.(posts);
      }
      return answer;
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    statuses,
    posts,
    stop: () => server.stop(true),
  };
}

export interface OpenAIWorld {
  readonly under: UnderTest;
  readonly client: OpenAI;
}

/** Starts a gateway, and a client of OpenAI's SDK that never retries. */
export async function startOpenAI(): Promise<OpenAIWorld> {
  const under = await startUnderTest();
  const client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
  return { under, client };
}
