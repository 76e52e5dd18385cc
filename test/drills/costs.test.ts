// The ruler of a request: the objects, promises, statements and system calls that it takes, against the budgets in
// src/README.md.
import { expect, test } from "bun:test";
import { makeAgentChat, makeAgentMessages } from "../bench/loads/agent.ts";
import { expectNone } from "../tidy/sources.ts";
import { countObjects, countStatements, type Request, type Statements } from "./costs.ts";
import { type Counts, judge, keepLeast } from "./judging.ts";
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

async function measureObjects(gateway: MeasuredGateway, request: Request): Promise<Counts> {
  const kinds = await countObjects(gateway, request);
  console.log(
    `${request.name}: ${Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ")}`,
  );
  return {
    objects: Object.values(kinds).reduce((sum, count) => sum + count, 0),
    promises: kinds.promises ?? Number.NaN,
  };
}

/** Returns the counts of each request by its name, from a gateway that is started for it. */
async function measureAll(): Promise<ReadonlyMap<string, Counts>> {
  const gateway = await startMeasured();
  try {
    const requests = await listRequests(gateway);
    const objects = new Map<string, Counts>();
    for (const request of requests) objects.set(request.name, await measureObjects(gateway, request));
    await gateway.ask("count");
    const statements = new Map<string, Statements>();
    for (const request of requests) statements.set(request.name, await countStatements(gateway, request));
    const calls = await countSystemCalls(gateway, requests);
    if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
    const take = ({ name }: Request): Counts => ({
      ...objects.get(name),
      statements: statements.get(name)?.statements ?? Number.NaN,
      values: statements.get(name)?.values ?? Number.NaN,
      ...(typeof calls === "string" ? {} : { "system calls": calls.get(name) ?? Number.NaN }),
    });
    return new Map(requests.map((request) => [request.name, take(request)]));
  } finally {
    await gateway.stop();
  }
}

/** Other work of a busy machine only adds to a count, so the least of as many is judged. */
const MEASURES_MAX = 3;

test("a request takes no more objects, promises, statements and system calls than its budget", async () => {
  const least = new Map<string, Counts>();
  let above: readonly string[] = ["nothing is measured"];
  for (let measured = 0; above.length > 0 && measured < MEASURES_MAX; measured++) {
    for (const [name, counts] of await measureAll()) {
      const before = least.get(name);
      least.set(name, before === undefined ? counts : keepLeast(before, counts));
    }
    above = [...least].flatMap(([name, counts]) => judge(name, counts));
  }
  expect(least.size).toBeGreaterThan(0);
  expectNone(above);
}, 300_000);

test("a count above its budget is named", () => {
  expect(judge("a chat, whole", { objects: 1, promises: 99 })).toEqual(["a chat, whole: 99 promises"]);
});
