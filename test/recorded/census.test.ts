// All recorded exchanges other than chat: how many are judged, and why others are not. Token counts are judged here.
import { expect, test } from "bun:test";
import { listModels } from "../../src/app/models/discovery.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { readRecordedCompletions } from "../operations/completions/recordings.ts";
import { readMediaTraffic } from "../operations/media/recordings.ts";
import { incoming } from "../surfaces/recorded.ts";
import { readBeyondChat } from "./beyond-chat.ts";
import { readRecordedCounts } from "./counting.ts";
import { atLeast, CHAT_APIS, fixturesFolder, HAS_OUTSIDE } from "./load.ts";
import { readRows } from "./rows.ts";

/** Requests that the gateway doesn't serve, or serves in another form. */
const OUTSIDE: Readonly<Record<string, string>> = {
  batches: "batches are not served",
  files: "files are not served",
  "bedrock-apply-guardrail": "guardrails are not served",
  "bedrock-count-tokens": "Bedrock's own count is never asked for: prompts are estimated",
  "responses-retrieve": "stored answers are the gateway's own",
  "responses-delete": "stored answers are the gateway's own",
  "cohere-v1": "Cohere's first API is retired: its second is spoken",
  "ollama-chat": "Ollama's native API: its /v1 is spoken",
  "ollama-generate": "Ollama's native API: its /v1 is spoken",
};

/** The recordings of real providers by their reason. All of the project's own are judged. */
const OUTSIDE_COUNTS: Readonly<Record<string, number>> = {
  judged: 261,
  "the recorder cut the answer": 3,
  "Ollama's native API: its /v1 is spoken": 48,
  "Cohere's first API is retired: its second is spoken": 8,
  "a provider's own API for media": 11,
  "Bedrock's own count is never asked for: prompts are estimated": 5,
  "images can't be embedded": 3,
  "several parts of one input are never sent": 2,
  "vLLM is never asked for base64": 2,
  "Perplexity's bytes as base64 are never asked for": 1,
  "vectors of bytes are never asked for": 1,
  "batches are not served": 12,
  "files are not served": 34,
  "guardrails are not served": 1,
  "stored answers are the gateway's own": 5,
};

interface Row {
  readonly id: string;
  readonly api: string;
  readonly status: number;
  readonly body: string;
}

/** All exchanges other than chat. */
function listRows(): readonly Row[] {
  const chat: ReadonlySet<string> = new Set(CHAT_APIS);
  return readRows(fixturesFolder())
    .map(({ row: { id, api, response } }) => {
      const { status, body } = asObject(response);
      return { id: String(id), api: String(api), status: Number(status), body: String(body) };
    })
    .filter(({ api }) => !chat.has(api));
}

/** By id: null for an exchange that a test judges, otherwise the reason why none does. */
function classify(): ReadonlyMap<string, string | null> {
  const { exchanges, skipped } = readBeyondChat();
  const media = readMediaTraffic();
  const lists = listRows().filter(({ api }) => api === "models");
  const judged = [
    ...exchanges,
    ...media.recordings,
    ...lists,
    ...readRecordedCompletions(),
    ...readRecordedCounts(),
  ];
  const reasons = [...skipped, ...media.skipped].map((line): readonly [string, string] => {
    const [id = "", ...rest] = line.split(": ");
    return [id, rest.join(": ")];
  });
  return new Map([...judged.map(({ id }) => [id, null] as const), ...reasons]);
}

test("each recording beyond chat is tested, or skipped for a stated reason", () => {
  const known = classify();
  const counts: Record<string, number> = {};
  for (const { id, api } of listRows()) {
    const reason = known.get(id) === null ? "judged" : (known.get(id) ?? OUTSIDE[api] ?? `unknown: ${id}`);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  expect(counts).toEqual(HAS_OUTSIDE ? OUTSIDE_COUNTS : { judged: listRows().length });
});

test("all names of each recorded model list are read", async () => {
  const timeouts = { connectMs: 1000, firstByteMs: null, idleMs: 1000, totalMs: 1000 };
  const setup: ProviderSetup = {
    name: "Local",
    dialect: null,
    baseUrl: "http://local.example/v1",
    headers: {},
    timeouts,
    unlistedModels: true,
    credentials: [],
  };
  const lists = listRows().filter(({ api }) => api === "models");
  expect(lists.length).toBeGreaterThanOrEqual(atLeast(17));
  for (const { id, status, body } of lists) {
    const read = listModels(setup, async () => new Response(body, { status }));
    // Mistral lists some names more than once.
    const given = new Set(asArray(asObject(parseJson(body)).data).map((one) => String(asObject(one).id)));
    // Refusals and Gemini's own form are not lists of a server with OpenAI's API.
    if (given.size === 0) await expect(read).rejects.toThrow();
    else expect([id, (await read).map(({ name }) => name)]).toEqual([id, [...given]]);
  }
});

test("prompts are estimated to within 30 tokens plus a quarter of the vendor's count", () => {
  const counts = readRecordedCounts();
  expect(counts.length).toBeGreaterThanOrEqual(atLeast(12));
  for (const { id, surface, path, request, tokens } of counts) {
    const ask = surface.counting?.read(incoming(request, path));
    const estimate = ask === undefined ? Number.NaN : CHAT.estimatePrompt(ask);
    expect([id, Math.abs(estimate - tokens) <= 30 + tokens / 4]).toEqual([id, true]);
  }
});
