// The ruler of a request: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { test } from "bun:test";
import { makeAgentChat, makeAgentMessages } from "../bench/loads/agent.ts";
import { expectNone } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";
import { startMeasured } from "./measured-gateway.ts";
import { measureRequests } from "./measuring.ts";
import { makeRequests, type RequestRow, WORDS } from "./request-rows.ts";

const MESSAGES = "/v1/messages";
const CHAT_MODEL = "OpenAI#gpt-4o";
const MESSAGES_MODEL = "Anthropic#claude-sonnet-4-5";
const SYSTEM = "You are a helpful assistant that answers briefly.";
/** An agent's last words: what comes before them has come with its earlier requests. */
const LAST = "Go on.";

const user = { role: "user", content: WORDS };
const options = { temperature: 0.7, max_tokens: 256 };
const chat = { model: CHAT_MODEL, messages: [{ role: "system", content: SYSTEM }, user], ...options };
const message = { model: MESSAGES_MODEL, system: SYSTEM, messages: [user], ...options };
const agent = (kilobytes: number) => makeAgentChat({ kilobytes, model: CHAT_MODEL, words: WORDS });
const native = (kilobytes: number) => makeAgentMessages({ kilobytes, model: MESSAGES_MODEL, words: WORDS });

const ROWS: readonly RequestRow[] = [
  { name: "a chat, whole", body: chat },
  { name: "a chat, streamed", body: { ...chat, stream: true } },
  { name: "a paid chat", body: chat, isPaid: true },
  { name: "a message, whole", body: message, path: MESSAGES },
  { name: "a message on a chat provider", body: { ...message, model: CHAT_MODEL }, path: MESSAGES },
  {
    name: "an embedding",
    body: { model: "OpenAI#text-embedding-3-small", input: WORDS },
    path: "/v1/embeddings",
  },
  { name: "an agent's 64 KB", body: agent(64), words: LAST },
  { name: "an agent's 248 KB", body: agent(248), words: LAST },
  { name: "an agent's 64 KB in Messages", body: native(64), path: MESSAGES, words: LAST },
  { name: "an agent's 248 KB in Messages", body: native(248), path: MESSAGES, words: LAST },
];

test("a request takes no more objects, promises, statements and system calls than its budget", async () => {
  const counted = await measureRequests(startMeasured, (gateway) => makeRequests(gateway, ROWS));
  expectNone([...counted].flatMap(([name, counts]) => judgeAndRecord(name, counts)));
}, 300_000);
