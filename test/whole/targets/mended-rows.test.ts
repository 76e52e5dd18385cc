// Mends of a request stand on its row, and a call that was refused for one is no attempt.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";

let refused: readonly string[] = [];
let calls = 0;
const refusing: Fetch = async (url, init) => {
  const request = new Request(url, init);
  const body = asObject(parseJson(await request.clone().text()));
  calls++;
  const field = refused.find((name) => name in body);
  if (field === undefined) return fetch(request);
  const error = { message: `Unknown parameter: '${field}'.`, type: "invalid_request_error" };
  return Response.json({ error }, { status: 400 });
};

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    fetch: refusing,
    more: (url) =>
      `  Plain: { dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key], unlisted_models: true, extra_fields: ["*"] }`,
  });
});
afterAll(() => world.stop());
beforeEach(() => {
  calls = 0;
});

async function ask(model: string, more: JsonObject, stream = false) {
  const answer = await world.chat({
    model,
    stream,
    messages: [{ role: "user", content: "say: hi" }],
    ...more,
  });
  await answer.text();
  const id = answer.headers.get("x-request-id");
  const operator = createOperator(world);
  const { body } = await operator.get(`/requests?q=${id}`);
  const row = asObject(asArray(body.data)[0]);
  const { body: detail } = await operator.get(`/requests/${row.id}`);
  return { status: answer.status, attempts: answer.headers.get("x-poundkey-attempts"), row, detail };
}

let asked = 0;

test.each([false, true])("each refusal is named, and the attempt is one (streamed: %p)", async (stream) => {
  refused = ["top_p", "seed"];
  const model = `Plain#m-${++asked}`;
  const fields = { top_p: 0.5, seed: 7 };
  const { status, attempts, row, detail } = await ask(model, fields, stream);
  const words = ["field:top_p", "field:seed"];
  expect([status, calls, attempts, row.attempts, row.mended]).toEqual([200, 3, "1", 1, words]);
  const { timeline } = detail;
  const [attempt, ...others] = asArray(asObject(timeline).attempts).map(asObject);
  expect([others, attempt?.outcome, detail.mended]).toEqual([[], "answered", words]);
  // The time of the calls that were refused is the attempt's.
  expect(Number(attempt?.end_ms)).toBeGreaterThanOrEqual(Number(attempt?.start_ms));
  const known = await ask(model, fields, stream);
  expect([known.row.attempts, known.row.mended]).toEqual([1, []]);
});

test("what can't be mended is an attempt, and the mended ones before it still stand there", async () => {
  refused = ["top_p", "response_format"];
  const { status, row, detail } = await ask(`Plain#m-${++asked}`, {
    top_p: 0.5,
    response_format: { type: "json_object" },
  });
  expect([status, calls, row.attempts, row.mended]).toEqual([400, 2, 1, ["field:top_p"]]);
  const attempts = asArray(asObject(detail.timeline).attempts).map(asObject);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["failed"]);
});

test("mended refusals open no breaker and take no retries", async () => {
  refused = ["top_p"];
  for (let at = 0; at < 30; at++) await ask(`Plain#m-${++asked}`, { top_p: 0.5 });
  expect(calls).toBe(60);
  const events = world.events.map(({ event }) => event);
  for (const event of ["breaker_opened", "breaker.payer", "retry_refused"])
    expect(events).not.toContain(event);
});
