// A request that a hook refuses: it takes a place as one that a provider refuses, and the hook's own model has its price.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator, type Operator } from "../world/operator.ts";

/** Its price for a prompt of some thousand characters is some cents. */
const PROMPT = `say: violence ${"and more of it ".repeat(2000)}`;
const GIVEN_BACK = 2;

let world: UnderTest;
let admin: Operator;
beforeAll(async () => {
  world = await startUnderTest({
    more: (url) => `
  Priced:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models: [{ name: sim, context: 128000, output: 1024, price: { input: 1, output: 2 } }]
  Judge:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models: [{ name: omni-moderation-latest, operations: [moderation], context: 128000, price: { input: 20 } }]
hooks: [{ name: judge, model: "Judge#omni-moderation-latest" }]
quota: { requests_per_day: 1000, throttle: 0s }
`,
  });
  admin = createOperator(world);
});
afterAll(() => world.stop());

async function newKey(fields: JsonObject): Promise<{ readonly id: string; readonly secret: string }> {
  const { body } = await admin.post("/keys", { name: crypto.randomUUID(), ...fields });
  return { id: String(body.id), secret: String(body.secret) };
}

async function send(secret: string, text = PROMPT) {
  const ask = { model: "Priced#sim", messages: [{ role: "user", content: text }], max_tokens: 10 };
  const answer = await fetch(`${world.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(ask),
  });
  const { error } = asObject(JSON.parse(await answer.text()));
  return `${answer.status} ${String(asObject(error ?? {}).code ?? "")}`.trim();
}

test("the price of the hook's model counts in the key's budget, which then refuses before the hook is asked", async () => {
  const { secret, id } = await newKey({ budgets: [{ usd: 0.2, per: "day" }] });
  const outcomes: string[] = [];
  for (let at = 0; at < 12; at++) outcomes.push(await send(secret, `${PROMPT} ${at}`));
  expect(outcomes[0]).toBe("400 content_blocked");
  expect(outcomes.at(-1)).toBe("429 budget_exceeded");
  const { body: key } = await admin.get(`/keys/${id}`);
  const used = Number(asObject(asArray(asObject(key).limits)[0]).used);
  expect(used).toBeGreaterThan(0.2);
  expect(used).toBeLessThan(0.45);
  const rows = asArray((await admin.get(`/requests?key=${id}&limit=100`)).body.data).map(asObject);
  const refused = rows.filter(({ error_code }) => error_code === "content_blocked");
  expect(refused.length).toBe(outcomes.filter((one) => one.startsWith("400")).length);
  const { body: row } = await admin.get(`/requests/${refused[0]?.id}`);
  expect(row).toMatchObject({ cost_usd: 0, charged_usd: 0 });
  expect(Number(row.hook_cost_usd) * refused.length).toBeCloseTo(used, 2);
});

test("the first refusals of a day come back, further ones take a place, and without one no hook is asked", async () => {
  const { secret } = await newKey({ requests_per_day: GIVEN_BACK });
  const outcomes: string[] = [];
  for (let at = 0; at < 6; at++) outcomes.push(await send(secret, `say: violence ${at}`));
  const blocked = "400 content_blocked";
  const full = "429 rate_limit_exceeded";
  expect(outcomes).toEqual([blocked, blocked, blocked, blocked, full, full]);
});

test("an answered request costs its budget no less than the hook's model", async () => {
  const { secret, id } = await newKey({ budgets: [{ usd: 5, per: "day" }] });
  expect(await send(secret, `say: hello ${"and more ".repeat(1000)}`)).toBe("200");
  const { body: key } = await admin.get(`/keys/${id}`);
  const used = Number(asObject(asArray(asObject(key).limits)[0]).used);
  const rows = asArray((await admin.get(`/requests?key=${id}`)).body.data).map(asObject);
  const { body: row } = await admin.get(`/requests/${rows[0]?.id}`);
  expect(Number(row.hook_cost_usd)).toBeGreaterThan(Number(row.cost_usd));
  expect(used).toBeCloseTo(Number(row.hook_cost_usd), 6);
});
