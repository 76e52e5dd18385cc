// The ruler of a request: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { expect, test } from "bun:test";
import { makeAgentChat, makeAgentMessages } from "../bench/loads/agent.ts";
import { expectNone } from "../tidy/sources.ts";
import { readBudget } from "./budgets.ts";
import { countObjects, countStatements, type Request, type Statements } from "./costs.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";
import { countSystemCalls } from "./system-calls.ts";

const CHAT = "/v1/chat/completions";
const CHAT_MODEL = "OpenAI#gpt-4o";
const MESSAGES_MODEL = "Anthropic#claude-sonnet-4-5";
const WORDS = "The words of turn";
/** An agent's last words: what comes before them has come with its earlier requests. */
const LAST = "Go on.";
const BATCH = 8;
const BATCH_LARGE = 4;

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
    return { name, count: name.includes("248") ? BATCH_LARGE : BATCH, send };
  });
}

/** Returns nothing, or what is above its budget. */
function judge(name: string, counted: Readonly<Record<string, number>>): readonly string[] {
  const budget = readBudget(`costs: ${name}`);
  const counts = Object.entries(counted);
  console.log(
    `${name}: ${counts.map(([what, count], at) => `${count} ${what} of ${budget[at]}`).join(", ")}`,
  );
  return counts
    .filter(([, count], at) => !(count <= (budget[at] ?? Number.NaN)))
    .map(([what, count]) => `${name}: ${count} ${what}`);
}

test("a request takes no more objects, promises, statements and system calls than its budget", async () => {
  const gateway = await startMeasured();
  try {
    const requests = await listRequests(gateway);
    const objects = new Map<string, number>();
    const promises = new Map<string, number>();
    for (const request of requests) {
      const kinds = await countObjects(gateway, request);
      console.log(
        `${request.name}: ${Object.entries(kinds)
          .map(([kind, count]) => `${count} ${kind}`)
          .join(", ")}`,
      );
      objects.set(
        request.name,
        Object.values(kinds).reduce((sum, count) => sum + count, 0),
      );
      promises.set(request.name, kinds.promises ?? Number.NaN);
    }
    await gateway.ask("count");
    const statements = new Map<string, Statements>();
    for (const request of requests) statements.set(request.name, await countStatements(gateway, request));
    const calls = await countSystemCalls(gateway, requests);
    if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
    const take = ({ name }: Request) => ({
      objects: objects.get(name) ?? Number.NaN,
      promises: promises.get(name) ?? Number.NaN,
      statements: statements.get(name)?.statements ?? Number.NaN,
      values: statements.get(name)?.values ?? Number.NaN,
      ...(typeof calls === "string" ? {} : { "system calls": calls.get(name) ?? Number.NaN }),
    });
    expectNone(requests.flatMap((request) => judge(request.name, take(request))));
  } finally {
    await gateway.stop();
  }
}, 300_000);

test("a count above its budget is named", () => {
  expect(judge("a chat, whole", { objects: 1, promises: 99 })).toEqual(["a chat, whole: 99 promises"]);
});
