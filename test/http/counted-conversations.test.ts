// The count of a request's tokens that continues from an earlier response: all that would be sent, and no less.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const MODEL = "Local#sim-mini";
const WORDS = 2000;

let keeping: UnderTest;
let forgetting: UnderTest;
beforeAll(async () => {
  [keeping, forgetting] = await Promise.all([
    startUnderTest({ more: "responses: { keep: 1h }" }),
    startUnderTest(),
  ]);
});
afterAll(() => Promise.all([keeping.stop(), forgetting.stop()]));

async function post(under: UnderTest, path: string, body: JsonObject, secret = under.secret) {
  const answered = await fetch(`${under.url}/v1/responses${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  return { status: answered.status, body: asObject(await answered.json()) };
}

const count = (body: JsonObject, under = keeping, secret?: string) =>
  post(under, "/input_tokens", body, secret);
const readCount = async (body: JsonObject) => Number((await count(body)).body.input_tokens);

const question = { role: "user", content: `${"word ".repeat(WORDS)} say: good day` };

test("the conversation before it counts, as if it were sent whole", async () => {
  const first = await post(keeping, "", { input: [question] });
  const go = { role: "user", content: "go" };
  const continued = await readCount({ input: "go", previous_response_id: first.body.id });
  expect(continued).toBe(await readCount({ input: [question, ...asArray(first.body.output), go] }));
  expect(continued).toBeGreaterThan(WORDS);
  const second = await post(keeping, "", { input: "say: and you", previous_response_id: first.body.id });
  const longer = await readCount({ input: "go", previous_response_id: second.body.id });
  expect(longer).toBeGreaterThan(continued);
});

test("an item that is named by its id counts whole", async () => {
  const { body } = await post(keeping, "", { input: `say: ${"word ".repeat(WORDS)}` });
  const [item] = asArray(body.output).map(asObject);
  const referred = { type: "item_reference", id: item?.id };
  expect(await readCount({ input: [referred] })).toBe(await readCount({ input: [item] }));
});

test("an earlier response that isn't there is an error, as for an answer", async () => {
  const account = await keeping.newAccount("another");
  const { secret } = await keeping.newKey({ account_id: account, requests_per_day: null });
  const first = await post(keeping, "", { input: [question] });
  for (const [id, by] of [
    ["resp_unknown", keeping.secret],
    [first.body.id, secret],
  ] as const) {
    const goOn = { input: "go", previous_response_id: id };
    const counted = await count(goOn, keeping, by);
    expect(counted).toMatchObject({ status: 404, body: { error: { param: "previous_response_id" } } });
    expect(counted).toEqual(await post(keeping, "", goOn, by));
  }
});

test.each(["previous_response_id", "conversation", "prompt"])(
  "%s is refused where nothing is kept, as for an answer",
  async (field) => {
    const value = field === "prompt" ? { id: "pmpt_1" } : "resp_1";
    const counted = await count({ input: "go", [field]: value }, forgetting);
    expect(counted).toMatchObject({ status: 400, body: { error: { param: field } } });
    expect(counted).toEqual(await post(forgetting, "", { input: "go", [field]: value }));
  },
);
