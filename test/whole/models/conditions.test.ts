// A refusal that depends on another field, through a whole gateway: it is learned with its condition, shown on the model's
// page, and a third account's requests keep the field where the server takes it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

const MODEL = "House#thinker";
const WORDS = "Unsupported parameter: 'temperature' is not supported with this model.";

let sent: JsonObject[] = [];
let upstream: TestServer;
let gateway: UnderTest;
let secrets: readonly string[] = [];

/** Takes a temperature unless it thinks, as OpenAI's models since GPT-5.1. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = asObject(parseJson(await readText(request)));
  sent.push(body);
  const isRefused = body.temperature !== undefined && (body.reasoning_effort ?? "none") !== "none";
  const error = { message: WORDS, type: "invalid_request_error", param: "temperature" };
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }];
  const answered = { id: "1", object: "chat.completion", created: 1, model: "m", choices };
  response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(isRefused ? { error } : answered));
}

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const model = "{ name: thinker, context: 9000, output: 99, price: { input: 0, output: 0 } }";
  gateway = await startUnderTest({
    more: `  House: { dialect: openai, base_url: "${upstream.url}", keys: [k-1], models: [${model}] }`,
  });
  secrets = await Promise.all(["ann", "ben", "cat"].map(addKey));
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function addKey(name: string): Promise<string> {
  const account = await gateway.newAccount(name);
  return (await gateway.newKey({ account_id: account, requests_per_day: null })).secret;
}

/** Returns the temperatures that a request was sent with, call by call. It is answered. */
async function ask(payer: number, fields: JsonObject): Promise<readonly unknown[]> {
  sent = [];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secrets[payer]}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hello." }], ...fields }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Hi.")]);
  return sent.map((body) => body.temperature);
}

test("two accounts that meet it take the field from a third only where the server refuses it", async () => {
  const thinking = { temperature: 0, reasoning_effort: "high" };
  expect([await ask(0, thinking), await ask(1, thinking)]).toEqual([
    [0, undefined],
    [0, undefined],
  ]);
  expect(await ask(2, thinking)).toEqual([undefined]);
  for (const fields of [{}, { seed: 1 }, { reasoning_effort: "none" }, { stream: false, max_tokens: 9 }])
    expect(await ask(2, { temperature: 0, ...fields })).toEqual([0]);
  expect(await ask(2, { temperature: 0, reasoning_effort: "low" })).toEqual([0, undefined]);
  for (const reasoning_effort of ["low", "high"])
    expect(await ask(0, { temperature: 0, reasoning_effort })).toEqual([undefined]);
  const { body } = await createOperator(gateway).get(`/models/${encodeURIComponent(MODEL)}`);
  const [lesson] = asArray(body.lessons).map(asObject);
  expect([lesson?.refuses, lesson?.known_to, lesson?.conditions]).toEqual([
    "field:temperature",
    "all",
    [{ beside: ["reasoning_effort"], perhaps: ["reasoning_effort=high", "reasoning_effort=low"] }],
  ]);
});
