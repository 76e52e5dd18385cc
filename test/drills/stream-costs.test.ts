// The ruler of long streams, of turns on a socket and of requests for a router: their objects, promises, statements and system
// calls, against the budgets in src/README.md.
import { test } from "bun:test";
import { expectNone } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";
import type { Request } from "./costs.ts";
import { LONG_WORDS } from "./fixed-upstream.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";
import { measureRequests } from "./measuring.ts";
import { makeKeys, makeRequests, type RequestRow, varyWords, WORDS } from "./request-rows.ts";

const CHAT_MODEL = "OpenAI#gpt-4o";
/** OpenAI itself also speaks the Responses API, and would be asked in that. */
const PLAIN_MODEL = "Local#llama";
const MESSAGES_MODEL = "Anthropic#claude-sonnet-4-5";

const user = { role: "user", content: WORDS };
const streamed = { stream: true, max_tokens: 256 };
const chat = { messages: [{ role: "system", content: LONG_WORDS }, user], ...streamed };
const message = { system: LONG_WORDS, messages: [user], ...streamed };
const response = { input: WORDS, store: false };

/** The difference to a whole answer is what the chunks take. */
const ROWS: readonly RequestRow[] = [
  { name: "200 chunks of a chat", body: { ...chat, model: CHAT_MODEL }, count: 1 },
  {
    name: "200 chunks of a message",
    body: { ...message, model: MESSAGES_MODEL },
    path: "/v1/messages",
    count: 1,
  },
  {
    name: "200 chunks of a message on a chat provider",
    body: { ...message, model: CHAT_MODEL },
    path: "/v1/messages",
    count: 1,
  },
  {
    name: "200 chunks of a response on a chat provider",
    body: { ...response, instructions: LONG_WORDS, model: PLAIN_MODEL, stream: true },
    path: "/v1/responses",
    count: 1,
  },
  { name: "a chat for Router#fair", body: { messages: [user], max_tokens: 256, model: "Router#fair" } },
];

/** Turns of a connection each. */
const TURNS: readonly Omit<RequestRow, "path">[] = [
  { name: "a turn on a socket", body: response, count: 4 },
  { name: "200 chunks of a turn on a socket", body: { ...response, instructions: LONG_WORDS }, count: 1 },
];

async function makeTurn(
  { name, body, count = 1 }: (typeof TURNS)[number],
  gateway: MeasuredGateway,
  free: string,
): Promise<Request> {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  let hear: (frame: string) => void = () => {};
  // Bun's own client sends headers.
  const socket: WebSocket = Reflect.construct(WebSocket, [
    `${gateway.url.replace("http", "ws")}/v1/responses`,
    { headers: { authorization: `Bearer ${free}` } },
  ]);
  socket.onopen = () => open();
  socket.onmessage = ({ data }) => hear(String(data));
  await isOpen;
  const makeFrame = varyWords({ type: "response.create", ...body, model: PLAIN_MODEL }, WORDS);
  return {
    name,
    count,
    send() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      hear = (frame) => {
        if (frame.includes('"type":"response.completed"')) resolve();
        if (frame.includes('"type":"error"')) reject(new Error(frame));
      };
      socket.send(makeFrame());
      return promise;
    },
  };
}

async function makeTurns(gateway: MeasuredGateway): Promise<readonly Request[]> {
  const { free } = await makeKeys(gateway);
  return Promise.all(TURNS.map((turn) => makeTurn(turn, gateway, free)));
}

test("a stream's chunks, a turn and a choice take no more objects and statements than their budgets", async () => {
  const counted = await measureRequests(startMeasured, async (gateway) => [
    ...(await makeRequests(gateway, ROWS)),
    ...(await makeTurns(gateway)),
  ]);
  expectNone([...counted].flatMap(([name, counts]) => judgeAndRecord(name, counts)));
}, 300_000);
