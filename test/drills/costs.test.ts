// The ruler of a request: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { test } from "bun:test";
import { makeAgentChat, makeAgentMessages } from "../bench/loads/agent.ts";
import { expectNone } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";
import type { Request } from "./costs.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";
import { measureRequests } from "./measuring.ts";

const CHAT = "/v1/chat/completions";
const CHAT_MODEL = "OpenAI#gpt-4o";
const MESSAGES_MODEL = "Anthropic#claude-sonnet-4-5";
const WORDS = "The words of turn";
/** An agent's last words: what comes before them has come with its earlier requests. */
const LAST = "Go on.";
const BATCH = 4;

/** Returns what makes bodies of one conversation that differ in one text alone, by as many bytes. */
function varyWords(body: object, words: string): () => string {
  const [before = "", after = ""] = JSON.stringify(body).split(words);
  let turn = 1_000_000;
  return () => `${before}${words} ${turn++}${after}`;
}

async function listRequests(gateway: MeasuredGateway): Promise<readonly Request[]> {
  const { secret } = await gateway.admin("/keys", { name: "free", requests_per_day: null });
  const { id } = await gateway.admin("/accounts", { name: "payer" });
  await gateway.admin(`/accounts/${id}/topups`, { amount_usd: 100 });
  const payer = await gateway.admin("/keys", { name: "payer", account_id: id, requests_per_day: 0 });
  const messages = [
    { role: "system", content: "You are a helpful assistant that answers briefly." },
    { role: "user", content: WORDS },
  ];
  const chat = { model: CHAT_MODEL, messages, temperature: 0.7, max_tokens: 256 };
  const agent = (kilobytes: number) => makeAgentChat({ kilobytes, model: CHAT_MODEL, words: WORDS });
  const native = (kilobytes: number) => makeAgentMessages({ kilobytes, model: MESSAGES_MODEL, words: WORDS });
  const rows: readonly (readonly [name: string, body: object, path?: string, key?: unknown])[] = [
    ["a chat, whole", chat],
    ["a chat, streamed", { ...chat, stream: true }],
    ["a paid chat", chat, CHAT, payer.secret],
    ["an agent's 64 KB", agent(64)],
    ["an agent's 248 KB", agent(248)],
    ["an agent's 64 KB in Messages", native(64), "/v1/messages"],
    ["an agent's 248 KB in Messages", native(248), "/v1/messages"],
  ];
  return rows.map(([name, body, path = CHAT, key = secret]) => {
    const makeBody = varyWords(body, name.includes("agent") ? LAST : WORDS);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const send = async () => {
      const response = await fetch(gateway.url + path, { method: "POST", headers, body: makeBody() });
      const text = await response.text();
      if (!response.ok) throw new Error(`${name}: ${text}`);
    };
    return { name, count: BATCH, send };
  });
}

test("a request takes no more objects, promises, statements and system calls than its budget", async () => {
  const counted = await measureRequests(await startMeasured(), listRequests);
  expectNone([...counted].flatMap(([name, counts]) => judgeAndRecord(name, counts)));
}, 300_000);
