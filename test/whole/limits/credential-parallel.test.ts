// The calls that a credential may have under way: never more, and others are asked while it is full.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

/** The calls that wait, with their key. They are answered once they are released. */
const waiting = new Map<ServerResponse, { readonly key: string; readonly go: () => void }>();
/** The most calls of each key that were under way at once. */
const most = new Map<string, number>();
const countWaiting = (key: string) => [...waiting.values()].filter((one) => one.key === key).length;

const CHAT = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "x",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const START = { type: "message", role: "assistant", model: "x", id: "msg_1" };
const USAGE = { input_tokens: 1, output_tokens: 1 };
const MESSAGE = {
  ...START,
  content: [{ type: "text", text: "hello" }],
  stop_reason: "end_turn",
  usage: USAGE,
};
const EVENTS = [
  { type: "message_start", message: { ...START, content: [], stop_reason: null, usage: USAGE } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE },
  { type: "message_stop" },
];
const STREAM = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

async function hold(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = "", "x-api-key": own } = request.headers;
  const key = String(own ?? authorization.replace("Bearer ", ""));
  const { stream } = asObject(parseJson(await readText(request)));
  const type = stream === true ? "text/event-stream" : "application/json";
  const answer = request.url?.endsWith("/messages") ? MESSAGE : CHAT;
  const go = () => {
    waiting.delete(response);
    response.writeHead(200, { "content-type": type }).end(stream === true ? STREAM : JSON.stringify(answer));
  };
  waiting.set(response, { key, go });
  response.once("close", () => waiting.delete(response));
  most.set(key, Math.max(most.get(key) ?? 0, countWaiting(key)));
}

const release = () => {
  for (const { go } of [...waiting.values()]) go();
};

let upstream: TestServer;
let world: UnderTest;
beforeAll(async () => {
  upstream = await serveHttp(hold);
  const row = (name: string, dialect: string, keys: string) =>
    `  ${name}: { dialect: ${dialect}, keys: [${keys}], base_url: "${upstream.url}", models: [{ name: one, context: 8192, output: 1024, price: { input: 1, output: 2 } }] }`;
  world = await startUnderTest({
    more: [
      row("Pair", "openai", "{ key: pair-1, parallel: 2 }, { key: pair-2, parallel: 1 }"),
      row("Narrow", "openai", "{ key: narrow-1, parallel: 1 }"),
      row("Spare", "openai", "spare-1"),
      row("Split", "anthropic", "{ key: split-1, parallel: 2 }"),
      row("Left", "openai", "{ key: left-1, parallel: 1 }"),
      'models: { "Narrow#one": { fallbacks: ["Spare#one"] } }',
    ].join("\n"),
  });
});
afterAll(async () => {
  await world.stop();
  await upstream.stop();
});
beforeEach(() => most.clear());

const ask = async (model: string, more: Record<string, unknown> = {}): Promise<Seen> =>
  seen(await world.chat(asking(model, "say: hello", more)));

/** Runs until it is answered, releasing all calls as they come. */
async function releaseUntil<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let isOver = false;
  void answer.finally(() => {
    isOver = true;
  });
  await until("it is answered", () => {
    release();
    return isOver;
  });
  return answer;
}

async function credentialOf(provider: string) {
  const { body } = await createOperator(world).get("/providers");
  const row = asArray(body.data)
    .map(asObject)
    .find(({ name }) => name === provider);
  return asObject(asArray(row?.credentials)[0]);
}

test("each credential has as many calls as it allows, and one more is refused until a call has ended", async () => {
  const answers = [ask("Pair#one"), ask("Pair#one"), ask("Pair#one")];
  await until("three are under way", () => waiting.size === 3);
  expect([countWaiting("pair-1"), countWaiting("pair-2")]).toEqual([2, 1]);
  const refused = await ask("Pair#one");
  expect(formatLine(refused)).toMatch(/^429 rate_limit_error provider_busy, retry after \d+$/);
  const view = { parallel: 2, in_flight: 2, state: "resting", until: null };
  expect(await credentialOf("Pair")).toMatchObject({ ...view, reason: expect.stringContaining("parallel") });
  release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await credentialOf("Pair")).toMatchObject({ state: "active", in_flight: 0, reason: null });
  expect((await releaseUntil(ask("Pair#one"))).status).toBe(200);
});

test("a model whose credentials are full leads to its fallback", async () => {
  const first = ask("Narrow#one");
  await until("it is under way", () => countWaiting("narrow-1") === 1);
  const second = ask("Narrow#one");
  await until("the other provider is asked", () => countWaiting("spare-1") === 1);
  release();
  expect((await first).status).toBe(200);
  expect((await second).headers.get("x-poundkey-model")).toBe("Spare#one");
});

test.each([false, true])(
  "a request for several answers asks for them in turns (stream: %p)",
  async (stream) => {
    const answer = await releaseUntil(ask("Split#one", { n: 5, stream }));
    expect(answer.status).toBe(200);
    expect(answer.text.match(/hello/g)).toHaveLength(5);
    expect(most.get("split-1")).toBe(2);
  },
);

test("a client that leaves gives its place back", async () => {
  const leaving = new AbortController();
  const left = fetch(`${world.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
    body: JSON.stringify(asking("Left#one")),
    signal: leaving.signal,
  });
  await until("it is under way", () => waiting.size === 1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await until("its place is free", async () => (await credentialOf("Left")).in_flight === 0);
  expect((await releaseUntil(ask("Left#one"))).status).toBe(200);
});
