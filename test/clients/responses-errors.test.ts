// Failures on the Responses API in OpenAI's JavaScript SDK and Codex: exhausted limits, broken streams, missing items.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { splitEvents } from "../recorded/events.ts";
import { failure, PLAIN } from "./setting.ts";

const INPUT = "say: one two three four";
const MODELS = [PLAIN, "Responses#sim-mini"];
/** The codes of failed responses that Codex retries. */
const RETRIED = /^(server_error|rate_limit_exceeded)$/;

let under: UnderTest;
let charged: UnderTest;
/** Its throttle opens within a minute. */
let hasty: UnderTest;
const THROTTLE_SECONDS = 50;

beforeAll(async () => {
  under = await startUnderTest();
  hasty = await startUnderTest({ more: `quota: { throttle: ${THROTTLE_SECONDS}s }` });
  charged = await startUnderTest({ more: "billing: { charge: always }" });
});
afterAll(async () => {
  await under.stop();
  await charged.stop();
  await hasty.stop();
});

function clientOf(secret: string, { url }: UnderTest = under): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
}

async function post(secret: string, body: object, { url }: UnderTest = under): Promise<Response> {
  return fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

describe.each([false, true])("stream: %p", (stream) => {
  test("a used-up allowance ends the turn immediately", async () => {
    const { secret } = await under.newKey({ requests_per_day: 1 });
    expect((await post(secret, { model: PLAIN, input: INPUT })).status).toBe(200);
    const refused = await post(secret, { model: PLAIN, input: INPUT, stream });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, null]);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    const { error } = asObject(await refused.json());
    expect(error).toMatchObject({ code: "insufficient_quota", reason: "rate_limit_exceeded" });
    const { reset_at, message } = asObject(error);
    expect(Date.parse(String(reset_at))).toBeGreaterThan(Date.now());
    // The allowance starts again at midnight, which may be nearer than the next one beyond it.
    expect(message).toMatch(/Try again in (10|\d) minutes?/);
  });

  test("a short wait is stated, and ends the turn too", async () => {
    const { secret } = await hasty.newKey({ requests_per_day: 0 });
    const request = { model: PLAIN, input: INPUT, stream };
    await (await post(secret, request, hasty)).text();
    const refused = await post(secret, request, hasty);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, THROTTLE_SECONDS + 1);
    const { error } = asObject(await refused.json());
    expect(error).toMatchObject({ code: "insufficient_quota", reason: "rate_limit_exceeded" });
  });

  test("an empty balance ends it too", async () => {
    const { secret } = await charged.newKey({ requests_per_day: null });
    const refused = await post(secret, { model: "OpenAI#gpt-5.4", input: INPUT, stream }, charged);
    expect(refused.status).toBe(429);
    expect(asObject(await refused.json()).error).toMatchObject({
      code: "insufficient_quota",
      reason: "insufficient_balance",
    });
  });

  test("an overloaded provider may be retried", async () => {
    const refused = await post(under.secret, { model: `${PLAIN}~429`, input: INPUT, stream });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(asObject(await refused.json()).error).toMatchObject({ code: "provider_busy" });
  });

  test.each([
    ["a wrong key", "sk-x", { model: PLAIN }, 401, "invalid_api_key"],
    ["a prompt that is too long", "", { model: `${PLAIN}~context` }, 400, "context_length_exceeded"],
    ["a model of no provider", "", { model: "Nobody#gpt" }, 404, "model_not_found"],
  ] as const)("%s", async (_name, secret, body, status, code) => {
    const refused = await post(secret || under.secret, { ...body, input: INPUT, stream });
    expect(refused.status).toBe(status);
    expect(asObject(await refused.json()).error).toMatchObject({ code, type: "invalid_request_error" });
  });
});

describe.each(MODELS)("a stream of %s that breaks off", (model) => {
  test("is reported by the SDK's helper", async () => {
    const stream = clientOf(under.secret).responses.stream({
      model: `${model}~pace=20~cut`,
      input: INPUT,
    });
    const { status, error } = await stream.finalResponse();
    expect([status, error?.code]).toEqual(["failed", expect.stringMatching(RETRIED)]);
  });

  test.each(["cut", "garbage", "error-mid"])("ends in response.failed (%s)", async (trouble) => {
    const body = { model: `${model}~pace=20~${trouble}`, input: INPUT, stream: true };
    const answer = await post(under.secret, body);
    const events = splitEvents(await answer.text()).map(({ data }) => asObject(JSON.parse(data)));
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, at) => at));
    const ids = new Set(events.flatMap(({ response }) => asObject(response).id ?? []));
    expect([...ids]).toEqual([expect.stringMatching(/^resp_/)]);
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: expect.stringMatching(RETRIED) } },
    });
  });
});

test.each(MODELS)("an answer of %s that reached its limit is incomplete", async (model) => {
  const client = clientOf(under.secret);
  const long = { model, input: `say: ${"word ".repeat(60)}`, max_output_tokens: 16 };
  for (const answer of [
    await client.responses.create(long),
    await client.responses.stream(long).finalResponse(),
  ]) {
    expect(answer).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    // In the native lane the items are the provider's own.
    if (model === PLAIN) expect(answer.output.at(-1)).toMatchObject({ status: "incomplete" });
  }
});

describe("if responses are not stored", () => {
  test("there are none to fetch or delete", async () => {
    const client = clientOf(under.secret);
    const { id } = await client.responses.create({ model: PLAIN, input: INPUT, store: true });
    for (const work of [
      () => client.responses.retrieve(id),
      () => client.responses.delete(id),
      () => client.responses.inputItems.list(id),
    ]) {
      expect(await failure(OpenAI.NotFoundError, work())).toMatchObject({ code: "not_found", param: "id" });
    }
    await failure(OpenAI.AuthenticationError, clientOf("sk-x").responses.retrieve(id));
  });

  test.each(["/v1/responses", "/responses"])("a plain GET of %s is refused", async (path) => {
    const answer = await fetch(under.url + path, { headers: { authorization: `Bearer ${under.secret}` } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("counting tokens", () => {
  const count = (secret: string, body: object = { model: PLAIN, input: INPUT }) =>
    fetch(`${under.url}/v1/responses/input_tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  test("uses no allowance, and is limited to 60 a minute", async () => {
    const { secret } = await under.newKey({ requests_per_day: 1 });
    const { input_tokens } = await clientOf(secret).responses.inputTokens.count({
      model: PLAIN,
      input: INPUT,
    });
    expect(input_tokens).toBeGreaterThan(4);
    const statuses: number[] = [];
    for (let asked = 0; asked < 62; asked++) statuses.push((await count(secret)).status);
    expect(statuses.filter((status) => status === 200).length).toBeWithin(59, 62);
    const refused = await count(secret);
    expect([refused.status, asObject(asObject(await refused.json()).error).code]).toEqual([
      429,
      "requests_per_minute_exceeded",
    ]);
    expect((await post(secret, { model: PLAIN, input: INPUT })).status).toBe(200);
  });

  test("includes tools and instructions", async () => {
    const countOf = async (more: object) =>
      Number(
        asObject(await (await count(under.secret, { model: PLAIN, input: INPUT, ...more })).json())
          .input_tokens,
      );
    const bare = await countOf({});
    const tools = [{ type: "function", name: "look", description: "Looks at the sky above a city." }];
    expect(await countOf({ tools })).toBeGreaterThan(bare);
    expect(await countOf({ instructions: "Be brief, and kind." })).toBeGreaterThan(bare);
  });
});
