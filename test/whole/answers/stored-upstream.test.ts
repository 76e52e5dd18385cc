// `responses.upstream_store`: a provider stores answers on request, and only the credential that created one continues
// it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import OpenAI, { type APIError } from "openai";
import { asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { failure } from "../../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

const MODEL = "Store#gpt-6.1-sol";
/** Of each answer with its prompt. A million costs 1 USD. */
const TOKENS = 3000;

interface StoreCall {
  readonly credential: string;
  readonly body: JsonObject;
}
const calls: StoreCall[] = [];
/** The text of each stored conversation, by the credential's account and the answer's id. */
const stored = new Map<string, string>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const credential = (request.headers.authorization ?? "").replace("Bearer ", "");
  const body = asObject(parseJson(await readText(request)));
  calls.push({ credential, body });
  const before = asString(body.previous_response_id);
  const known = before === undefined ? "" : stored.get(`${credential} ${before}`);
  if (known === undefined) {
    const error = {
      message: `Previous response '${before}' not found.`,
      code: "previous_response_not_found",
    };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  const id = `resp_own_${calls.length}`;
  const said = `${known}${JSON.stringify(body.input)}`;
  if (body.store === true) stored.set(`${credential} ${id}`, said);
  const whole = respond(id, body, said);
  if (body.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const [item] = whole.output;
  const part = { output_index: 0, content_index: 0, item_id: "msg_1" };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    {
      ...part,
      type: "response.content_part.added",
      part: { type: "output_text", text: "", annotations: [] },
    },
    { ...part, type: "response.output_text.delta", delta: said },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: whole },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [sequence_number, event] of events.entries())
    response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
  response.end();
}

function respond(id: string, { store, previous_response_id }: JsonObject, text: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id,
    object: "response",
    created_at: 1,
    model: "gpt-6.1-sol",
    status: "completed",
    error: null,
    store,
    previous_response_id: previous_response_id ?? null,
    tools: [],
    metadata: {},
    output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }],
    usage: { input_tokens: TOKENS - 100, output_tokens: 100, total_tokens: TOKENS },
  };
}

let upstream: TestServer;
let under: UnderTest;
let client: OpenAI;

function connect(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${under.url}/v1`, apiKey, maxRetries: 0 });
}

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const model = "{ name: gpt-6.1-sol, context: 10000, output: 100, price: { input: 1, output: 1 } }";
  under = await startUnderTest({
    more: `
  Store: { dialect: responses, base_url: "${upstream.url}", keys: ["store-a", "store-b"], models: [${model}] }
responses: { upstream_store: true }
billing: { charge: always }`,
  });
  await under.topUp("default", 10);
  client = connect(under.secret);
});
afterAll(async () => {
  await under.stop();
  await upstream.stop();
});

async function admin(method: string, path: string, body?: object): Promise<JsonObject> {
  const response = await fetch(`${under.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return asObject(await response.json());
}

/** Requests an answer, whole or as a stream that is read to its end. */
function create(
  by: OpenAI,
  isStreamed: boolean,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming,
): Promise<OpenAI.Responses.Response> {
  return isStreamed
    ? by.responses.stream({ ...body, stream: true }).finalResponse()
    : by.responses.create(body);
}

test.each([false, true])(
  "is continued by the credential that created it, streamed: %p",
  async (isStreamed) => {
    // Chance and load decide which of the two credentials is first.
    for (let conversation = 0; conversation < 16; conversation++) {
      const first = await create(client, isStreamed, { model: MODEL, input: "one", store: true });
      expect(first).toMatchObject({ store: true, previous_response_id: null });
      expect(first.id).not.toContain("resp_own");
      const { credential } = calls.at(-1) ?? {};
      const more = { model: MODEL, store: true, previous_response_id: first.id };
      const second = await create(client, isStreamed, { ...more, input: "two" });
      expect(second.previous_response_id).toBe(first.id);
      const third = await create(client, isStreamed, {
        model: MODEL,
        input: "three",
        previous_response_id: second.id,
      });
      expect(third.output_text).toBe('"one""two""three"');
      expect(calls.at(-1)?.credential).toBe(credential ?? "");
      expect(third).toMatchObject({ store: false });
    }
  },
);

test("is only stored for clients that ask for it, with keys that may", async () => {
  const { secret } = await under.newKey({ requests_per_day: null, keep_responses: false });
  for (const [by, store] of [
    [client, undefined],
    [client, false],
    [connect(secret), true],
  ] as const) {
    const { id, ...response } = await by.responses.create({
      model: MODEL,
      input: "one",
      ...(store === undefined ? {} : { store }),
    });
    expect(response).toMatchObject({ store: false });
    expect(calls.at(-1)?.body.store).toBe(false);
    await failure(
      OpenAI.BadRequestError,
      connect(secret).responses.create({ model: MODEL, input: "two", previous_response_id: id }),
    );
  }
});

test("is continued by another key of the same account", async () => {
  const { id } = await client.responses.create({ model: MODEL, input: "one", store: true });
  const { secret } = await under.newKey({ requests_per_day: null });
  const request = { model: MODEL, input: "two", previous_response_id: id };
  expect((await connect(secret).responses.create(request)).output_text).toBe('"one""two"');
});

test("is invisible to other accounts and other providers", async () => {
  const { id } = await client.responses.create({ model: MODEL, input: "one", store: true });
  const account = await admin("POST", "/accounts", { name: "another" });
  const { secret } = await under.newKey({ account_id: account.id, requests_per_day: null });
  const sent = calls.length;
  const goOn = { input: "two", previous_response_id: id };
  for (const [by, kind, body] of [
    [connect(secret), OpenAI.NotFoundError, { model: MODEL, ...goOn }],
    [client, OpenAI.NotFoundError, { model: MODEL, ...goOn, previous_response_id: `${id}x` }],
    [client, OpenAI.BadRequestError, { model: "Responses#gpt-6.1-sol", ...goOn }],
    [client, OpenAI.BadRequestError, { model: "Local#sim-mini", ...goOn }],
  ] as const)
    await failure<APIError>(kind, by.responses.create(body));
  // An answer stored at the provider is not fetched from there.
  await failure(OpenAI.NotFoundError, client.responses.retrieve(id));
  expect(calls.length).toBe(sent);
});

test("counts in full where a request that continues is only counted", async () => {
  const { id } = await client.responses.create({ model: MODEL, input: "one", store: true });
  const sent = calls.length;
  const counted = await client.responses.inputTokens.count({
    model: MODEL,
    input: "go",
    previous_response_id: id,
  });
  expect(counted.input_tokens).toBeGreaterThan(TOKENS);
  expect(calls.length).toBe(sent);
});

test("is held for in full, and can be found by its id", async () => {
  const holds: number[] = [];
  let id: string | undefined;
  for (const input of ["one", "two"]) {
    const more = id === undefined ? {} : { previous_response_id: id };
    ({ id } = await client.responses.create({ model: MODEL, input, store: true, ...more }));
    const row = await admin("GET", `/requests/${id}`);
    expect(id).toStartWith(`${row.id}_at_`);
    holds.push(Number(row.hold_usd));
  }
  const [first = 0, second = 0] = holds;
  expect((second - first) * 1e6).toBeGreaterThan(TOKENS);
  const score = await fetch(`${under.url}/v1/feedback`, {
    method: "POST",
    headers: { authorization: `Bearer ${under.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ id, score: 1 }),
  });
  expect(score.status).toBe(200);
});
