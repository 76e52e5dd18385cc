// Limits of a minute on some models of a key: what counts, what leaves the plan, and how they are shown.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { asking } from "../world/world.ts";

const MINI = "OpenAI#gpt-5-mini";
const CLAUDE = "Anthropic#claude-haiku-4-5";

let world: UnderTest;
let operator: Operator;
beforeAll(async () => {
  world = await startUnderTest({
    more: [
      `aliases: { house: "${MINI}", both: [{ model: "${MINI}", weight: 1000 }, { model: "${CLAUDE}", weight: 0.001 }] }`,
      `models: { "${MINI}": { fallbacks: ["${CLAUDE}"] } }`,
      "key_maxima: { model_limits: [{ models: ['*opus*'], requests_per_minute: 10 }] }",
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

const limit = (models: readonly string[], requests: number) => [{ models, requests_per_minute: requests }];

/** A key without an allowance, so that nothing but its limits binds it. */
const makeKey = (fields: JsonObject) => world.newKey({ requests_per_day: null, ...fields });

test("a model whose limit is reached refuses by its name, and others go on", async () => {
  const { secret } = await makeKey({ model_limits: limit([CLAUDE], 2) });
  expect(await ask(secret, CLAUDE)).toBe(CLAUDE);
  expect(await ask(secret, CLAUDE)).toBe(CLAUDE);
  const response = await world.chat(asking(CLAUDE), { secret });
  const error = asObject(asObject(await response.json()).error);
  expect([response.status, error.code]).toEqual([429, "requests_per_minute_exceeded"]);
  expect(error.message).toContain(`2 requests per minute for ${CLAUDE}`);
  expect(error.limit).toMatchObject({ scope: "key", models: [CLAUDE], limit: 2, used: 2 });
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await ask(secret, MINI)).toBe(MINI);
});

test("a card that a limit keeps out leaves the plan of a fallback and of a group", async () => {
  const { secret } = await makeKey({ model_limits: limit([MINI], 1) });
  expect(await ask(secret, MINI)).toBe(MINI);
  expect(await ask(secret, MINI)).toBe(CLAUDE);
  expect(await ask(secret, "both")).toBe(CLAUDE);
});

test("exactly as many of a hundred parallel requests pass as the limit says", async () => {
  const { secret } = await makeKey({ model_limits: limit([CLAUDE], 30) });
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(secret, CLAUDE)));
  expect(answers.filter((answer) => answer === CLAUDE)).toHaveLength(30);
});

test("an alias counts what is asked by its name", async () => {
  const { secret, id } = await makeKey({ model_limits: limit(["house"], 1) });
  expect(await ask(secret, MINI)).toBe(MINI);
  expect(await ask(secret, "house")).toBe(MINI);
  expect(await ask(secret, "house")).toBe("requests_per_minute_exceeded");
  expect(await ask(secret, MINI)).toBe(MINI);
  const { body } = await operator.get(`/keys/${id}`);
  expect(body.model_limits).toEqual(limit(["house"], 1));
  expect(asArray(body.limits)).toMatchObject([
    { scope: "key", kind: "requests_per_minute", models: ["house"], limit: 1, used: 1, remaining: 0 },
  ]);
});

test("tokens become what the provider reported, and a limit of 0 lets nothing pass", async () => {
  const tokens = [{ models: [CLAUDE], tokens_per_minute: 100_000 }];
  const { secret, id } = await makeKey({ model_limits: tokens });
  await ask(secret, CLAUDE, { max_tokens: 1000 });
  const { body } = await operator.get(`/keys/${id}`);
  const [shown] = asArray(body.limits).map(asObject);
  expect(Number(shown?.used)).toBeGreaterThan(0);
  expect(Number(shown?.used)).toBeLessThan(1000);
  const none = await makeKey({ model_limits: [{ models: [CLAUDE], tokens_per_minute: 0 }] });
  expect(await ask(none.secret, CLAUDE)).toBe("tokens_per_minute_exceeded");
  expect(await ask(none.secret, MINI)).toBe(MINI);
});

test.each<[string, unknown, string]>([
  ["without a number", [{ models: [MINI] }], "model_limits[0].requests_per_minute"],
  [
    "twice for the same models",
    [...limit([MINI, CLAUDE], 1), ...limit([CLAUDE, MINI], 2)],
    "model_limits[1]",
  ],
  ["for an unknown name", limit(["nobody"], 1), "model_limits[0].models[0]"],
  ["nine", Array.from({ length: 9 }, (_, at) => limit([`a#${at}`], 1)[0]), "model_limits"],
])("a list %s is refused by its field", async (_, model_limits, param) => {
  const { status, error } = await operator.post("/keys", { name: "x", model_limits });
  expect([status, error?.param]).toEqual([400, param]);
});

test("key_maxima bind roles below admin", async () => {
  const token = await operator.post("/tokens", { name: "manager", role: "operator" });
  const make = async (model_limits: unknown) => {
    const response = await fetch(`${world.url}/admin/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.body.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "x", model_limits }),
    });
    return asObject(await response.json());
  };
  expect(asObject((await make(limit(["*opus*"], 11))).error).param).toBe("model_limits");
  expect(asObject((await make([])).error).param).toBe("model_limits");
  expect((await make(limit(["*opus*"], 9))).model_limits).toEqual(limit(["*opus*"], 9));
  expect((await make(undefined)).model_limits).toEqual(limit(["*opus*"], 10));
});
