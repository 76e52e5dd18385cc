// Kept interactions of a key that is moved to another account: what it finds is its account's by then, and nothing of the other's.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../world/until.ts";

const MODEL = "Local#sim-think";
const TOOLS = [{ type: "function", name: "look", parameters: { type: "object" } }];

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 30d }" });
});
afterAll(() => under.stop());

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function ask(secret: string, path: string, body?: JsonObject, method = "POST"): Promise<Answer> {
  const response = await fetch(`${under.url}/v1/interactions${path}`, {
    method: body === undefined && method === "POST" ? "GET" : method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: asObject(parseJson(await response.text())) };
}

const say = (text: string, more: JsonObject = {}): JsonObject => ({
  model: MODEL,
  input: `say: ${text}`,
  generation_config: { thinking_level: "low", thinking_summaries: "auto" },
  ...more,
});

async function begin(secret: string, text: string): Promise<Answer["body"] & { readonly id: string }> {
  const { status, body } = await ask(secret, "", say(text));
  expect(status).toBe(200);
  return { ...body, id: String(body.id) };
}

async function move(keyId: string, accountId: string): Promise<void> {
  const response = await fetch(`${under.url}/admin/v1/keys/${keyId}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ account_id: accountId }),
  });
  expect(response.status).toBe(200);
}

/** Returns a turn with thinking before a call, and the call's result. */
async function think(secret: string): Promise<readonly JsonObject[]> {
  const asked = { type: "user_input", content: [{ type: "text", text: 'call look({"city":"Oslo"})' }] };
  const { body } = await ask(secret, "", say("", { input: [asked], tools: TOOLS }));
  const steps = asArray(body.steps).map(asObject);
  const call = steps.find(({ type }) => type === "function_call");
  expect(steps.map(({ type }) => type)).toContain("thought");
  return [asked, ...steps, { type: "function_result", call_id: call?.id, name: "look", result: "rain" }];
}

/** Asserts that the interaction isn't there for the key, by any route, and that no provider is asked. */
async function expectNone(secret: string, id: string): Promise<void> {
  const before = under.simulator.calls.total;
  expect(await ask(secret, `/${id}`)).toMatchObject({
    status: 404,
    body: { error: { reason: "interaction_not_found" } },
  });
  expect((await ask(secret, `/${id}`, undefined, "DELETE")).status).toBe(404);
  expect(await ask(secret, "", say("on", { previous_interaction_id: id }))).toMatchObject({
    status: 400,
    body: { error: { reason: "unsupported_parameter" } },
  });
  expect(under.simulator.calls.total).toBe(before);
}

/** Asserts that it is there with all that was said, and goes on. */
async function expectKept(secret: string, id: string, text: string): Promise<void> {
  const kept = await ask(secret, `/${id}`);
  expect(kept.status).toBe(200);
  expect(JSON.stringify(kept.body.steps)).toContain(`say: ${text}`);
  expect((await ask(secret, "", say("on", { previous_interaction_id: id }))).status).toBe(200);
  expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain(`say: ${text}`);
}

test("they stay with the account that they were made in, and the key has those of its new one", async () => {
  const [from, to] = [await under.newAccount("from"), await under.newAccount("to")];
  const makeKey = (account: string) => under.newKey({ account_id: account, requests_per_day: null });
  const [moving, staying, there] = [await makeKey(from), await makeKey(from), await makeKey(to)];
  const mine = await begin(moving.secret, "the old account's secret");
  const theirs = await begin(there.secret, "the new account's secret");
  await expectKept(moving.secret, mine.id, "the old account's secret");
  await expectNone(moving.secret, theirs.id);

  await move(moving.id, to);
  // Its look-up is remembered for half a second.
  await until("it is moved", async () => (await ask(moving.secret, `/${theirs.id}`)).status === 200);
  await expectNone(moving.secret, mine.id);
  await expectKept(moving.secret, theirs.id, "the new account's secret");
  await expectKept(staying.secret, mine.id, "the old account's secret");
  await expectNone(staying.secret, theirs.id);

  // Thinking is sealed for the account that it was made in: elsewhere its text reaches nobody.
  const input = await think(staying.secret);
  const sent = async (secret: string) => {
    expect((await ask(secret, "", say("", { input, tools: TOOLS }))).status).toBe(200);
    return JSON.stringify(under.simulator.calls.last()?.body);
  };
  expect(await sent(staying.secret)).toContain("Thinking about");
  expect(await sent(moving.secret)).not.toContain("Thinking about");

  await move(moving.id, from);
  await until("it is back", async () => (await ask(moving.secret, `/${mine.id}`)).status === 200);
  await expectKept(moving.secret, mine.id, "the old account's secret");
  await expectNone(moving.secret, theirs.id);
});
