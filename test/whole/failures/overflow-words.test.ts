// Each provider's words for a prompt that is too long, as an error answer and in a stream's first event: every surface
// says it in the form on which its agents compact.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { upstreamFault } from "../../../src/core/models/upstream.ts";
import { OVERFLOW_ROWS } from "../../../src/core/models/words/overflow.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

/** Errors with a code of their own, whatever their message. */
const CODED: readonly (readonly [provider: string, error: JsonObject])[] = [
  ["Coded", { code: "model_max_prompt_tokens_exceeded", message: "No." }],
  ["ZAI", { code: "1261", message: "Prompt 超长" }],
];
const UNCODED = OVERFLOW_ROWS.map(({ example }) => ["House", { message: example }] as const);
const ROWS: readonly (readonly [provider: string, error: JsonObject])[] = [...UNCODED, ...CODED];

let upstream: TestServer;
let gateway: UnderTest;

/** Answers with the row that the request's text names. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readText(request);
  const error = { type: "invalid_request_error", ...ROWS[Number(/row (\d+)/.exec(text)?.[1])]?.[1] };
  const isStreamed = asObject(parseJson(text)).stream === true;
  const type = isStreamed ? "text/event-stream" : "application/json";
  response.writeHead(isStreamed ? 200 : 400, { "content-type": type });
  const body = JSON.stringify({ type: "error", error });
  response.end(isStreamed ? `event: error\ndata: ${body}\n\n` : body);
}

const house = (name: string, dialect: string) =>
  `  ${name}: { dialect: ${dialect}, keys: [house-key-1], base_url: "${upstream.url}", models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`;

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const known = `  ZAI: { keys: [house-key-2], base_url: "${upstream.url}", models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`;
  const more = [house("House", "openai"), house("Coded", "openai"), house("Claude", "anthropic"), known];
  gateway = await startUnderTest({ more: more.join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function ask(path: string, body: JsonObject): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" };
  const answered = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answered.status).toBe(400);
  return asObject(asObject(await answered.json()).error);
}

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(ROWS.map(([provider, error], index) => [error.message, error.code, provider, index] as const))(
    "%j (%s) is too long on every surface",
    async (_message, _code, provider, index) => {
      const model = `${provider}#m`;
      const text = `row ${index}`;
      const messages = [{ role: "user", content: text }];
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      const contents = [{ role: "user", parts: [{ text }] }];
      const [chat, responses, own, native, google] = await Promise.all([
        ask("/v1/chat/completions", { model, messages, stream }),
        ask("/v1/responses", { model, input: text, stream }),
        ask("/v1/messages", { model, messages, max_tokens: 9, stream }),
        // The codes of other providers mean nothing to a server of Anthropic's form.
        ask("/v1/messages", {
          model: provider === "ZAI" ? model : "Claude#m",
          messages,
          max_tokens: 9,
          stream,
        }),
        ask(`/v1beta/models/${provider}%2Fm:${verb}`, { contents }),
      ]);
      expect([chat.code, responses.code]).toEqual(["context_length_exceeded", "context_length_exceeded"]);
      expect(String(own.message)).toContain("prompt is too long");
      expect(String(native.message)).toContain("prompt is too long");
      expect([own.type, native.type, google.status]).toEqual([
        "invalid_request_error",
        "invalid_request_error",
        "INVALID_ARGUMENT",
      ]);
    },
  );
});

test("the words count with a status of 413 too, which elsewhere is about bytes", () => {
  const codes = OVERFLOW_ROWS.map(({ example }) => upstreamFault({ status: 413, message: example }).code);
  expect(codes).toEqual(OVERFLOW_ROWS.map(() => "context_length_exceeded"));
  const bytes = [
    "Request exceeds the maximum size",
    "Failed to buffer the request body: length limit exceeded",
  ];
  expect(bytes.map((message) => upstreamFault({ status: 413, message }).code)).toEqual(
    bytes.map(() => "request_too_large"),
  );
});

test("a message that only speaks of another limit isn't too long", () => {
  const said = [
    "max_tokens must be less than or equal to 8192",
    "array too long. Expected an array with maximum length 128",
    "Range of max_tokens should be [1, 8192]",
    'The tool said "exceeded model token limit".',
  ];

  expect(said.map((message) => upstreamFault({ status: 400, message }).code)).toEqual(
    said.map(() => "upstream_rejected"),
  );
});

/** By the beginning of a row's example: the known providers that say it of their own models. */
const SPEAKERS: Readonly<Record<string, readonly string[]>> = {
  "This model's maximum context length": [
    "OpenAI",
    "Azure",
    "DeepSeek",
    "Mistral",
    "Ollama",
    "vLLM",
    "LMStudio",
    "Together",
    "OpenRouter",
  ],
  "prompt is too long": ["Anthropic", "Vertex", "Fireworks"],
  "The input token count": ["Google", "Vertex"],
  "too many tokens": ["Cohere"],
  "Invalid request: Your request exceeded": ["Moonshot"],
  "<400> InternalError": ["Qwen"],
  "Prompt exceeds max length": ["ZAI"],
  "This model's maximum prompt length": ["xAI"],
  "Please reduce the length": ["Cerebras", "Groq"],
  "Input is too long for requested model": ["Bedrock"],
};

/** Providers whose own words nobody has reported, as of 2026-11-26. NVIDIA and DeepInfra serve by vLLM, whose words are known. */
const UNKNOWN = ["Perplexity", "NVIDIA", "DeepInfra", "MiniMax", "SambaNova", "Novita", "Baseten"];

test("each provider of chat models has words of its own, or is known to have none", () => {
  const rows = Object.keys(SPEAKERS);
  const isSaid = (beginning: string) => OVERFLOW_ROWS.some(({ example }) => example.startsWith(beginning));
  expect(rows.filter((beginning) => !isSaid(beginning))).toEqual([]);
  const chatting = PROVIDERS.filter(({ dialects }) => dialects.some(({ chat }) => chat !== undefined));
  const listed = [...Object.values(SPEAKERS).flat(), ...UNKNOWN];
  expect([...new Set(listed)].toSorted()).toEqual(chatting.map(({ name }) => name).toSorted());
});
