// Keys and budgets that name an alias: what they may use by it, and what is counted, wherever the alias leads.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Seen, seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const SOON_MS = 10_000;
const MINI = "OpenAI#gpt-5-mini";
const DOWN = "Down#sim~trouble=503";
const CLAUDE = "Anthropic#claude-haiku-4-5";

let world: UnderTest;
let operator: Operator;
beforeAll(async () => {
  world = await startUnderTest({
    more: (url) =>
      [
        `  Down: { dialect: openai, base_url: "${url}/openai/v1", keys: [k], models: [{ name: "sim~trouble=503" }] }`,
        `aliases: { down: "${DOWN}", "gpt-*": "${MINI}", wise: "Router#best" }`,
        `models: { "${DOWN}": { fallbacks: ["${CLAUDE}"] } }`,
        "quota: { requests_per_day: null }",
      ].join("\n"),
  });
  operator = createOperator(world);
});
afterAll(() => world.stop());

/** Returns the model that answered, or the code of the refusal. */
async function ask(secret: string, model: string, body: JsonObject = {}): Promise<string> {
  const response = await world.chat({ ...asking(model), ...body }, { secret });
  const error = asObject(asObject(await response.json()).error);
  return response.headers.get("x-poundkey-model") ?? String(error.code);
}

async function listModels(secret: string): Promise<readonly unknown[]> {
  const response = await fetch(`${world.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  return asArray(asObject(await response.json()).data).map((one) => asObject(one).id);
}

async function makeAlias(name: string, target: unknown): Promise<void> {
  expect((await operator.post("/aliases", { name, target })).status).toBe(201);
}

const move = (name: string, target: unknown): Promise<Seen> =>
  operator.patch(`/aliases/${encodeURIComponent(name)}`, { target });

test("a key that names an alias may use by it whatever it leads to, and nothing else", async () => {
  await makeAlias("prod-chat", MINI);
  const { secret, id } = await world.newKey({ allowed_models: ["prod-chat"] });
  expect(await ask(secret, "prod-chat")).toBe(MINI);
  expect(await ask(secret, MINI)).toBe("model_not_allowed");
  // A refusal names what the client sent, and what that leads to.
  const refused = await (await world.chat(asking("gpt-old"), { secret })).json();
  expect(refused.error.message).toStartWith(
    `This key may not use the model 'gpt-old', which is '${MINI}' here, only`,
  );
  expect(await ask(secret, "Router#best")).toBe("model_not_allowed");
  expect(await listModels(secret)).toEqual(["prod-chat"]);
  expect((await operator.get(`/keys/${id}`)).body.allowed_models).toEqual(["prod-chat"]);
  await move("prod-chat", CLAUDE);
  expect(await ask(secret, "prod-chat")).toBe(CLAUDE);
  await move("prod-chat", [{ model: CLAUDE }]);
  expect(await ask(secret, "prod-chat")).toBe(CLAUDE);
  expect(await listModels(secret)).toEqual(["prod-chat"]);
});

test("its fallbacks are included", async () => {
  const { secret } = await world.newKey({ allowed_models: ["down"] });
  expect(await ask(secret, "down")).toBe(CLAUDE);
});

test("an alias of a selector opens the selector by that name alone", async () => {
  const { secret } = await world.newKey({ allowed_models: ["wise"] });
  expect(await ask(secret, "wise")).toContain("#");
  expect(await ask(secret, "Router#best")).toBe("model_not_allowed");
});

test("a deleted alias opens nothing, and one made again must be allowed again", async () => {
  await makeAlias("brief", MINI);
  const { secret, id } = await world.newKey({ allowed_models: ["brief"] });
  expect(await ask(secret, "brief")).toBe(MINI);
  await operator.delete("/aliases?name=brief");
  expect(await ask(secret, "brief")).toBe("model_not_found");
  await makeAlias("brief", MINI);
  expect(await ask(secret, "brief")).toBe("model_not_allowed");
  await operator.patch(`/keys/${id}`, { allowed_models: ["brief"] });
  await until("the change is known", async () => (await ask(secret, "brief")) === MINI, SOON_MS);
});

test("only exact names of aliases count, and others are refused by the field's name", async () => {
  for (const name of ["gpt-*", "gpt-5", "nobody"]) {
    const { status, error } = await operator.post("/keys", { name: "x", allowed_models: [MINI, name] });
    expect([status, error?.param]).toEqual([400, "allowed_models[1]"]);
    expect(error?.message).toContain("the exact name of an alias");
  }
  const budgets = [{ usd: 1, per: "day", models: ["nobody"] }];
  const { status, error } = await operator.post("/keys", { name: "x", budgets });
  expect([status, error?.param]).toEqual([400, "budgets[0].models[0]"]);
});

test("a budget on an alias counts what is asked by that name, wherever it leads, and opens at 0", async () => {
  await makeAlias("team-chat", MINI);
  const { secret, id } = await world.newKey({});
  await ask(secret, "team-chat");
  const budgets = [{ usd: 0.0002, per: "month", models: ["team-chat"] }];
  const budget = async () => {
    const { body } = await operator.get(`/keys/${id}`);
    const [limit] = asArray(body.limits).map(asObject);
    return { models: limit?.models, used: Number(limit?.used) };
  };
  const changed = await operator.patch(`/keys/${id}`, { budgets });
  expect(asArray(changed.body.budgets)).toMatchObject([{ models: ["team-chat"] }]);
  expect(await budget()).toEqual({ models: ["team-chat"], used: 0 });
  await ask(secret, MINI);
  expect((await budget()).used).toBe(0);
  await ask(secret, "team-chat", { max_tokens: 5 });
  const once = (await budget()).used;
  expect(once).toBeGreaterThan(0);
  await move("team-chat", CLAUDE);
  await ask(secret, "team-chat", { max_tokens: 5 });
  expect((await budget()).used).toBeGreaterThan(once);
  let answer = "";
  for (let asked = 0; asked < 30 && answer !== "budget_exceeded"; asked++)
    answer = await ask(secret, "team-chat", { max_tokens: 5 });
  expect(answer).toBe("budget_exceeded");
  expect(await ask(secret, CLAUDE)).toBe(CLAUDE);
});

test("only an admin moves an alias that keys of an account with a balance hold, and the audit names them", async () => {
  await makeAlias("paid-chat", MINI);
  const account = await world.newAccount("Paying");
  const { id } = await world.newKey({ allowed_models: ["paid-chat"], account_id: account });
  const token = await operator.post("/tokens", { name: "op", role: "operator" });
  const asOperator = (target: string) =>
    fetch(`${world.url}/admin/v1/aliases/paid-chat`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${token.body.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ target }),
    }).then(seen);
  expect((await asOperator(CLAUDE)).status).toBe(200);
  await world.topUp(account, 5);
  const refused = await asOperator(MINI);
  expect([refused.status, refused.error?.code]).toEqual([403, "not_permitted"]);
  expect((await move("paid-chat", MINI)).status).toBe(200);
  const holders = [{ id, name: "test", account_id: account }];
  const isNamed = async () => {
    const { body } = await operator.get("/audit?limit=20");
    const moves = asArray(body.data)
      .map(asObject)
      .map(({ after }) => asObject(after).keys);
    return moves.some((keys) => JSON.stringify(keys) === JSON.stringify(holders));
  };
  await until("the audit names the keys", isNamed, SOON_MS);
});
