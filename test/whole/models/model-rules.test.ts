// A field that a provider refuses is counted, and left out from then on once an operator says so: in this process, in others
// on the same store, and after a restart.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";

let upstream: TestServer;
let gateway: UnderTest;
let sent: JsonObject = {};

/** Refuses a temperature as a new model might, which no table has yet. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  sent = asObject(parseJson(await readText(request)));
  const isRefused = sent.temperature !== undefined;
  const message = { role: "assistant", content: "ok" };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const error = { message: "`temperature` is deprecated for this model.", type: "invalid_request_error" };
  response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
  response.end(
    JSON.stringify(isRefused ? { error } : { id: "1", object: "chat.completion", created: 1, choices }),
  );
}

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const models = ["m", "taken", "set"].map(
    (name) => `{ name: ${name}, context: 8192, output: 99, price: { input: 1, output: 1 } }`,
  );
  gateway = await startUnderTest({
    more: [
      `  House: { dialect: openai, keys: [house-key-1], base_url: "${upstream.url}", models: [${models.join(", ")}] }`,
      'models: { "House#set": { refuses: [top_p] } }',
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const ask = (model: string, url = gateway.url) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, temperature: 0.2, messages: [{ role: "user", content: "hi" }] }),
  });

const path = (model: string) => `/models/${encodeURIComponent(model)}`;

test("is counted by provider, model and field", async () => {
  expect((await ask("House#m")).status).toBe(400);
  expect((await ask("House#m")).status).toBe(400);
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(text).toContain(
    'poundkey_refused_fields_total{provider="House",model="House#m",field="temperature"} 2',
  );
  const { body } = await createOperator(gateway).get(path("House#m"));
  expect(body).toEqual({
    id: "House#m",
    refuses: [],
    source: null,
    lessons: [],
    refused_fields: [{ field: "temperature", count: 2, refuses: "temperature" }],
  });
});

test("is left out once the operator says so, on each node, and sent again once it is taken back", async () => {
  const operator = createOperator(gateway);
  const changed = await operator.patch(path("House#m"), { refuses: ["temperature"] });
  expect(changed).toMatchObject({ status: 200, body: { refuses: ["temperature"], source: "stored" } });
  const answered = await ask("House#m");
  expect([answered.status, answered.headers.get("x-poundkey-dropped"), sent.temperature]).toEqual([
    200,
    "temperature",
    undefined,
  ]);
  const other = await gateway.another();
  try {
    expect((await ask("House#m", other.url)).status).toBe(200);
  } finally {
    await other.stop();
  }
  expect((await ask("House#taken")).status).toBe(400);
  await operator.patch(path("House#m"), { refuses: [] });
  expect((await ask("House#m")).status).toBe(400);
});

test("is on record, with what was said before and after", async () => {
  const operator = createOperator(gateway);
  let entries: readonly JsonObject[] = [];
  await until("both changes are in the audit log", async () => {
    entries = await operator.all("/audit?action=model.changed", 10);
    return entries.length === 2;
  });
  const shown = entries.map(({ target, before, after }) => [asObject(target).id, before, after]);
  expect(shown).toContainEqual(["House#m", { refuses: [] }, { refuses: ["temperature"] }]);
  expect(shown).toContainEqual(["House#m", { refuses: ["temperature"] }, { refuses: [] }]);
});

test.each([
  ["a word that there isn't", "House#m", ["temprature"], 400, "refuses[0]"],
  ["a word and its opposite", "House#m", ["top_p", "-top_p"], 400, "refuses[0]"],
  [
    "a word without effect in the model's dialect",
    "House#m",
    ["temperature", "thinking_budget"],
    400,
    "'thinking_budget' has no effect: only requests in the dialect anthropic or gemini",
  ],
  [
    "a model of the configuration file",
    "House#set",
    ["temperature"],
    409,
    "defined in the configuration file",
  ],
  ["a model that there isn't", "House#none", ["temperature"], 404, "no enabled model 'House#none'"],
] as const)("%s is refused", async (_name, model, refuses, status, says) => {
  const refused = await createOperator(gateway).patch(path(model), { refuses: [...refuses] });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringContaining(says)]);
});

test("the file's words are shown", async () => {
  const { body } = await createOperator(gateway).get(path("House#set"));
  expect([body.source, asArray(body.refuses)]).toEqual(["configured", ["top_p"]]);
});
