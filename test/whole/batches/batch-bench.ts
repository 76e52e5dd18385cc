// A gateway with batches, as the vendors' SDKs use it.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import type { Batch, BatchCreateParams } from "openai/resources/batches";
import { type Setup, startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** A model of an OpenAI-compatible server. The simulator's controls may follow. */
export const PLAIN = "Local#sim-mini";
const POLL_MS = 50;
/** A silent node is given up after 15 s, and a busy machine takes its time. */
const LONGEST_MS = 90_000;

export interface BatchBench {
  readonly under: UnderTest;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

/** Returns the store of a gateway: one of its own on SQLite if there is none. */
export type OpenStore = () => Promise<Pick<Setup, "store">>;

export async function startBatches(setup: Setup = {}): Promise<BatchBench> {
  const under = await startUnderTest(setup);
  return { under, ...makeClients(under.url, under.secret) };
}

export function makeClients(url: string, apiKey: string) {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey, maxRetries: 0 }),
  };
}

/** A line of a chat. */
export function chatLine(customId: string, text: string, model = PLAIN, more: object = {}): object {
  const body = { model, messages: [{ role: "user", content: text }], ...more };
  return { custom_id: customId, method: "POST", url: "/v1/chat/completions", body };
}

export async function createBatch(
  openai: OpenAI,
  lines: readonly (object | string)[],
  options: {
    readonly headers?: Record<string, string>;
    readonly endpoint?: BatchCreateParams["endpoint"];
  } = {},
): Promise<Batch> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const file = await openai.files.create({
    file: await toFile(Buffer.from(text), "in.jsonl"),
    purpose: "batch",
  });
  const { endpoint = "/v1/chat/completions", headers = {} } = options;
  const asked = { input_file_id: file.id, endpoint, completion_window: "24h" } as const;
  return openai.batches.create(asked, { headers });
}

/** Asks again and again until it is so. */
export async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + LONGEST_MS; ; ) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > endMs) throw new Error(`It stayed ${JSON.stringify(answer)}.`);
    await Bun.sleep(POLL_MS);
  }
}

const OVER = ["completed", "failed", "expired", "cancelled"];

export function waitForEnd(openai: OpenAI, { id }: Pick<Batch, "id">): Promise<Batch> {
  return until(
    () => openai.batches.retrieve(id),
    ({ status }) => OVER.includes(status),
  );
}

export interface ResultLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: {
      readonly choices?: { message: { content: string } }[];
      readonly error?: { code: string };
    };
  } | null;
  readonly error: { readonly code: string } | null;
}

/** Returns a file's lines, in the order of their ids. */
export async function readLines(
  openai: OpenAI,
  id: string | null | undefined,
): Promise<readonly ResultLine[]> {
  if (!id) return [];
  const text = await (await openai.files.content(id)).text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ResultLine);
  return lines.toSorted((one, other) => one.custom_id.localeCompare(other.custom_id));
}
