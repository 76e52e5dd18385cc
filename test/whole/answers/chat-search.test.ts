// A search at a chat-completions server, which tells only the pages that its answer cites: every surface shows the search, and
// it is charged.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const PAGE = { url: "https://example.com/roofs", title: "Roofs" };
const annotations = [{ type: "url_citation", url_citation: { ...PAGE, start_index: 0, end_index: 4 } }];
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Cites a page if it was asked to search. */
function answer(body: JsonObject): Response {
  const cited = body.web_search_options === undefined ? {} : { annotations };
  if (body.stream !== true) {
    const message = { role: "assistant", content: "Blue.", ...cited };
    return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  }
  const piece = (delta: JsonObject, finish: string | null) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const events = [
    piece({ role: "assistant", content: "Blue." }, null),
    piece(cited, null),
    piece({}, "stop"),
    { choices: [], usage },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

let upstream: Bun.Server<undefined>;
let world: UnderTest;
beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => answer(asObject(await request.json())),
  });
  const price = "price: { input: 1, output: 1, per_search: 0.01 }, capabilities: [search, tools]";
  const row = `{ dialect: openai, base_url: "${upstream.url.origin}/v1", models: [{ name: m, ${price} }] }`;
  world = await startUnderTest({ more: `  Found: ${row}` });
});
afterAll(async () => {
  await world.stop();
  await upstream.stop(true);
});

const question = { role: "user", content: "Which roof?" };
const contents = [{ role: "user", parts: [{ text: "Which roof?" }] }];

/** A request with a search on each surface, and what its answer must have. */
const SURFACES: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  [
    "/v1/messages",
    { max_tokens: 100, messages: [question], tools: [{ type: "web_search_20250305", name: "web_search" }] },
    ['"server_tool_use"', '"web_search_tool_result"', PAGE.url],
  ],
  [
    "/v1/responses",
    { input: "Which roof?", tools: [{ type: "web_search" }] },
    ['"web_search_call"', PAGE.url],
  ],
  ["/v1/chat/completions", { messages: [question], web_search_options: {} }, ['"url_citation"', PAGE.url]],
  [
    "/v1beta/models/Found%23m",
    { contents, tools: [{ googleSearch: {} }] },
    ['"groundingMetadata"', PAGE.url],
  ],
];

async function ask(path: string, body: JsonObject, isStreamed: boolean) {
  const isGemini = path.startsWith("/v1beta");
  const verb = isStreamed ? ":streamGenerateContent?alt=sse" : ":generateContent";
  const extras = isGemini ? {} : { model: "Found#m", stream: isStreamed };
  const response = await fetch(`${world.url}${path}${isGemini ? verb : ""}`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...body,
      ...extras,
      ...(path.endsWith("completions") && isStreamed ? { stream_options: { include_usage: true } } : {}),
    }),
  });
  const text = await response.text();
  const costs = [...text.matchAll(/"cost":\s?([\d.e-]+)/g)].map(([, cost]) => Number(cost));
  return { status: response.status, text, cost: costs.at(-1) };
}

test.each(SURFACES)("%s shows the search and what it cost", async (path, body, expected) => {
  for (const isStreamed of [false, true]) {
    const { status, text, cost } = await ask(path, body, isStreamed);
    expect({ status, missing: expected.filter((word) => !text.includes(word)) }).toEqual({
      status: 200,
      missing: [],
    });
    expect(cost).toBeCloseTo(0.010015, 9);
  }
});

test.each(SURFACES)("%s shows none that wasn't asked for", async (path, body) => {
  const { tools: _tools, web_search_options: _options, ...plain } = body;
  for (const isStreamed of [false, true]) {
    const { text, cost } = await ask(path, plain, isStreamed);
    expect(text).not.toMatch(/web_search|groundingMetadata/);
    expect(cost).toBeCloseTo(0.000015, 9);
  }
});
