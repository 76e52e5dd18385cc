// An answer that Gemini ends because the model wrote no readable call: clients of its own API see that themselves, the
// others get an error that names the reason.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { serveHttp, type TestServer } from "../world/serve.ts";

const REASON = "MALFORMED_FUNCTION_CALL";
const CANDIDATE = { content: {}, finishReason: REASON, finishMessage: "Malformed function call: secret()" };
const ANSWER = {
  candidates: [CANDIDATE],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
};

let upstream: TestServer;
let gateway: UnderTest;
beforeAll(async () => {
  upstream = await serveHttp(({ url }, response) => {
    const isStreamed = url?.includes("streamGenerateContent");
    const type = isStreamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type });
    response.end(isStreamed ? `data: ${JSON.stringify(ANSWER)}\n\n` : JSON.stringify(ANSWER));
  });
  gateway = await startUnderTest({
    more: `  Gem: { dialect: gemini, keys: [gem-key-1], base_url: "${upstream.url}", models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const messages = [{ role: "user", content: "hi" }];
const SURFACES: Readonly<Record<string, (stream: boolean) => readonly [string, JsonObject]>> = {
  chat: (stream) => ["/v1/chat/completions", { model: "Gem#m", messages, stream }],
  messages: (stream) => ["/v1/messages", { model: "Gem#m", max_tokens: 9, messages, stream }],
  responses: (stream) => ["/v1/responses", { model: "Gem#m", input: "hi", stream }],
};

async function ask(path: string, body: JsonObject) {
  const headers = { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" };
  const answered = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answered.status, text: await answered.text() };
}

test.each(["generateContent", "streamGenerateContent?alt=sse"])(
  "natively, %s has the reason",
  async (verb) => {
    const answered = await ask(`/v1beta/models/Gem%23m:${verb}`, { contents: [{ parts: [{ text: "hi" }] }] });
    expect(answered.status).toBe(200);
    expect(answered.text).toContain(JSON.stringify(CANDIDATE));
  },
);

test.each(Object.keys(SURFACES).flatMap((name) => [[name, false] as const, [name, true] as const]))(
  "%s is told the reason, streamed: %p",
  async (name, stream) => {
    const [path, body] = SURFACES[name]?.(stream) ?? ["", {}];
    const answered = await ask(path, body);
    expect(answered.status).toBe(502);
    expect(answered.text).toContain(`could not finish its answer (${REASON})`);
    expect(answered.text).not.toContain("secret()");
  },
);
