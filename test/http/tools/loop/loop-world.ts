// A gateway with tool servers whose tools models call in responses, and what its clients ask.
import OpenAI from "openai";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { startToolsWorld, type ToolsWorld } from "../tools-world.ts";

/** A model of each way to the provider: native, and translated to three other families. */
export const MODELS = [
  "OpenAI#gpt-5.4",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
];

export interface LoopWorld extends ToolsWorld {
  respond(body: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  client(secret?: string): OpenAI;
  /** Returns the log's rows of a response, oldest first. */
  rowsOf(responseId: unknown): Promise<readonly JsonObject[]>;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  readonly output: readonly JsonObject[];
}

type WorldOptions = Parameters<typeof startToolsWorld>[0];

export async function startLoopWorld(options: WorldOptions = {}): Promise<LoopWorld> {
  const world = await startToolsWorld(options);
  return {
    ...world,
    async respond(body, headers) {
      const response = await world.send("/v1/responses", { tools: [OURS], ...body }, headers);
      const read = asObject(await response.json());
      const output = asArray(read.output).map(asObject);
      return { status: response.status, headers: response.headers, body: read, output };
    },
    client: (secret = world.secret) =>
      new OpenAI({ apiKey: secret, baseURL: `${world.url}/v1`, maxRetries: 0 }),
    async rowsOf(responseId) {
      const rows = asArray((await world.read("/requests?limit=100")).data).map(asObject);
      return rows.filter((row) => row.response_id === responseId).toReversed();
    },
  };
}

/** The tool server of the tests, as requests name it. */
export const OURS = {
  type: "mcp",
  server_label: "desk",
  server_url: "poundkey:old",
  require_approval: "never",
} as const;

/** Returns a prompt for a simulated model, which says a step after the results of the one before. */
export function script(...steps: readonly string[]): string {
  return steps.map((step, at) => `step ${at + 1}: ${step}`).join(" ");
}
