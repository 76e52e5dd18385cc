// Tools that a message adds (Anthropic's inline tools) cost a key no less than those in `tools`, over HTTP.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asNumber, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

const MODEL = "Claude#opus";
const USES = 200;
/** USD: of a search, and of a day's free requests. */
const SEARCH_USD = 0.01;
const FREE_USD = 20;
const BETA = "inline-tools-2026-09-15";

const seen: { readonly beta: string; readonly body: JsonObject }[] = [];

/** The provider runs every search that the request allows. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readText(request);
  seen.push({ beta: String(request.headers["anthropic-beta"] ?? ""), body: asObject(parseJson(text)) });
  const uses = [...text.matchAll(/"max_uses":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const usage = { input_tokens: 100, output_tokens: 5, server_tool_use: { web_search_requests: uses } };
  const content = [{ type: "text", text: "found" }];
  const fields = { id: "msg_1", type: "message", role: "assistant", model: "opus", stop_sequence: null };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...fields, content, stop_reason: "end_turn", usage }));
}

let upstream: TestServer;
let under: UnderTest;

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const models = ["opus", "plain"].map((name) => {
    const search = name === "opus" ? `, per_search: ${SEARCH_USD}` : "";
    return `{ name: ${name}, context: 200000, output: 100, price: { input: 1, output: 1${search} } }`;
  });
  under = await startUnderTest({
    more: `
  Claude: { dialect: anthropic, base_url: "${upstream.url}", keys: ["a"], models: [${models.join(", ")}] }
quota: { requests_per_day: 1000, free: { budget_usd_per_day: ${FREE_USD} } }`,
  });
});
afterAll(async () => {
  await under.stop();
  await upstream.stop();
});

const search = { type: "web_search_20250305", name: "web_search", max_uses: USES };

function makeBody(more: JsonObject, ...added: readonly JsonObject[]): JsonObject {
  const additions = added.map((definition) => ({
    type: "tool_addition",
    tool: { type: "tool_definition", definition },
  }));
  const messages = [{ role: "user", content: "find it" }];
  const content = [{ type: "text", text: "Use it." }, ...additions];
  return { model: MODEL, max_tokens: 50, messages: [...messages, { role: "system", content }], ...more };
}

function send(secret: string, body: JsonObject): Promise<Response> {
  return fetch(`${under.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json", "anthropic-beta": BETA },
    body: JSON.stringify(body),
  });
}

async function admin(path: string): Promise<JsonObject> {
  const response = await fetch(`${under.url}/admin/v1${path}`, {
    headers: { authorization: `Bearer ${under.adminToken}` },
  });
  return asObject(await response.json());
}

/** Returns what was held for a key's only request, in USD. */
async function readHold(keyId: string): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const row = asArray((await admin("/requests")).data)
      .map(asObject)
      .find((one) => one.key_id === keyId);
    if (row !== undefined) return Number(row.hold_usd);
    await Bun.sleep(5);
  }
  throw new Error("The request was never logged.");
}

async function hold(body: JsonObject): Promise<number> {
  const account = await fetch(`${under.url}/admin/v1/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: `payer ${crypto.randomUUID()}` }),
  });
  const { id } = asObject(await account.json());
  await under.topUp(String(id), 100);
  const key = await under.newKey({ account_id: id, requests_per_day: 0 });
  expect((await send(key.secret, body)).status).toBe(200);
  return readHold(key.id);
}

test("a search in a message is held as one in `tools`", async () => {
  const honest = await hold(makeBody({ tools: [search] }));
  const added = await hold(makeBody({}, search));
  expect(honest).toBeGreaterThan(USES * SEARCH_USD);
  expect(added).toBeGreaterThan(USES * SEARCH_USD);
  // The prompts differ by a few hundred tokens at most.
  expect(Math.abs(added - honest)).toBeLessThan(0.001);
});

test("a free key can't exceed its budget by searches in messages", async () => {
  const { secret } = await under.newKey();
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(secret, makeBody({}, search))));
  const statuses = answers.map(({ status }) => status);
  const passed = statuses.filter((status) => status === 200).length;
  const bodies = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json()));
  const costs = bodies.map((body) => asNumber(asObject(asObject(body).usage).cost) ?? 0);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const truth = passed * USES * SEARCH_USD;
  console.log(
    `${passed} of 200 passed: ${truth.toFixed(2)} USD of searches, ${total.toFixed(2)} by the books`,
  );
  expect(passed).toBeWithin(1, 1 + FREE_USD / (USES * SEARCH_USD));
  expect(statuses.filter((status) => status === 429)).toHaveLength(200 - passed);
  // The books agree with the provider to the cent.
  expect(total).toBeWithin(truth, truth + 0.01);
  expect(total).toBeLessThan(FREE_USD);
});

test.each([
  [
    "a tool without a price",
    MODEL,
    { type: "code_execution_20250825", name: "code_execution" },
    "messages[1].content[1]",
  ],
  ["a search on a card without a price for it", "Claude#plain", search, "messages"],
] as const)("%s never reaches the provider from a message", async (_name, model, tool, named) => {
  const response = await send(under.secret, { ...makeBody({}, tool), model });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-poundkey-dropped")).toContain(named);
  const { body } = seen.at(-1) ?? {};
  expect(JSON.stringify(body)).not.toContain(tool.type);
  expect(asArray(body?.messages)).toHaveLength(2);
});
