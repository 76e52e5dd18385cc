// Constraints at every surface, whether its provider gets the client's own request or a translated one: met, refused before any
// call, asking for nothing, or left out.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { type Answered, ask, SURFACE_WORDS, SURFACES, type SurfaceWord } from "./asking.ts";

interface ConstraintCase {
  readonly body: JsonObject;
  readonly param: string;
  /** The sentence, with `MODEL` in the place of the model. */
  readonly message: string;
  /** The same fields with values that ask for nothing. */
  readonly empty: readonly JsonObject[];
}

const keepsNone = (param: string) =>
  `'${param}' asks for providers that keep no prompts, which the gateway can't promise for 'MODEL'. Leave it out if the operator has told you where prompts go.`;
const limits = (param: string) =>
  `'${param}' limits who may answer. Name the model, or send x-poundkey-allow or x-poundkey-max-cost.`;
const leavesNone = (param: string) =>
  `'${param}' leaves no model that may answer. Name providers as GET /v1/models does.`;
const NO_RULE = "No guard rule is named 'pii'. Those that the operator set for this key apply unnamed.";
const gateway = (fields: JsonObject) => ({ providerOptions: { gateway: fields } });

const CASES: Readonly<Record<string, ConstraintCase>> = {
  guardrails: {
    body: { guardrails: ["pii"] },
    param: "guardrails[0]",
    message: NO_RULE,
    empty: [{ guardrails: [] }, { guardrails: null }],
  },
  "guardrails by object": {
    body: { guardrails: [{ pii: { extra_body: {} } }] },
    param: "guardrails[0]",
    message: NO_RULE,
    empty: [{ guardrails: null }],
  },
  "guardrails in metadata": {
    body: { metadata: { guardrails: ["pii"] } },
    param: "metadata.guardrails[0]",
    message: NO_RULE,
    empty: [],
  },
  "guardrails in LiteLLM's metadata": {
    body: { litellm_metadata: { guardrails: ["pii"] } },
    param: "litellm_metadata.guardrails[0]",
    message: NO_RULE,
    empty: [],
  },
  data_collection: {
    body: { provider: { data_collection: "deny" } },
    param: "provider.data_collection",
    message: keepsNone("provider.data_collection"),
    empty: [{ provider: { data_collection: "allow" } }],
  },
  zdr: {
    body: { provider: { zdr: true } },
    param: "provider.zdr",
    message: keepsNone("provider.zdr"),
    empty: [{ provider: { zdr: false } }, { provider: null }],
  },
  zeroDataRetention: {
    body: gateway({ zeroDataRetention: true }),
    param: "providerOptions.gateway.zeroDataRetention",
    message: keepsNone("providerOptions.gateway.zeroDataRetention"),
    empty: [gateway({ zeroDataRetention: false })],
  },
  disallowPromptTraining: {
    body: gateway({ disallowPromptTraining: true }),
    param: "providerOptions.gateway.disallowPromptTraining",
    message: keepsNone("providerOptions.gateway.disallowPromptTraining"),
    empty: [gateway({ disallowPromptTraining: false })],
  },
  only: {
    body: { provider: { only: ["azure"] } },
    param: "provider.only",
    message: leavesNone("provider.only"),
    empty: [{ provider: { only: [] } }],
  },
  "Vercel's only": {
    body: gateway({ only: ["azure"] }),
    param: "providerOptions.gateway.only",
    message: leavesNone("providerOptions.gateway.only"),
    empty: [gateway({ only: [] })],
  },
  quantizations: {
    body: { provider: { quantizations: ["fp8"] } },
    param: "provider.quantizations",
    message: limits("provider.quantizations"),
    empty: [{ provider: { quantizations: [] } }],
  },
  max_price: {
    body: { provider: { max_price: { prompt: 1 } } },
    param: "provider.max_price",
    message: limits("provider.max_price"),
    empty: [{ provider: { max_price: null } }],
  },
  require_parameters: {
    body: { provider: { require_parameters: true } },
    param: "provider.require_parameters",
    message: limits("provider.require_parameters"),
    empty: [{ provider: { require_parameters: false } }],
  },
  enforce_distillable_text: {
    body: { provider: { enforce_distillable_text: true } },
    param: "provider.enforce_distillable_text",
    message: limits("provider.enforce_distillable_text"),
    empty: [{ provider: { enforce_distillable_text: false } }],
  },
  inference_geo: {
    body: { inference_geo: "us" },
    param: "inference_geo",
    message: "'inference_geo' asks for a region, which the operator sets at the provider. Leave it out.",
    empty: [{ inference_geo: "global" }, { inference_geo: null }],
  },
};

/** Wishes take no protection away. */
const WISHES: readonly JsonObject[] = [
  { models: ["a"] },
  { route: "fallback" },
  { fallbacks: ["a"] },
  { transforms: ["middle-out"] },
  { plugins: [{ id: "web" }] },
  { provider: { order: ["a"], sort: "price", preferred_max_latency: 1 } },
  { safe_prompt: true },
  { safety_mode: "STRICT" },
];

/** Each surface with the models behind it. */
const WAYS = SURFACE_WORDS.flatMap((surface) => {
  const { native, translated }: { readonly native?: string; readonly translated: string } = SURFACES[surface];
  const models = native === undefined ? [translated] : [native, translated];
  return models.map((model) => [surface, model] as const);
});

let refusing: UnderTest;
let dropping: UnderTest;
beforeAll(async () => {
  const star = (url: string) =>
    `  Star: { keys: [k], base_url: "${url}/openai/v1", unlisted_models: true, dialect: openai, extra_fields: ["*"] }`;
  [refusing, dropping] = await Promise.all([
    startUnderTest({ more: star }),
    startUnderTest({ more: "guard: { constraints: drop }" }),
  ]);
});
afterAll(() => Promise.all([refusing.stop(), dropping.stop()]));

const describeAnswer = ({ status, param, message, calls }: Answered) => ({
  status,
  param,
  message,
  calls: calls.length,
});

describe.each(WAYS)("at %s, with %s", (surface, model) => {
  test("what nothing meets is refused before any call", async () => {
    const wanted: unknown[] = [];
    const got: unknown[] = [];
    for (const { body, param, message } of Object.values(CASES)) {
      wanted.push({ status: 400, param, message: message.replace("MODEL", model), calls: 0 });
      got.push(describeAnswer(await ask(refusing, surface, model, body)));
    }
    const ignored = "provider.ignore";
    const name = model.split("#")[0]?.toUpperCase();
    wanted.push({ status: 400, param: ignored, message: leavesNone(ignored), calls: 0 });
    got.push(describeAnswer(await ask(refusing, surface, model, { provider: { ignore: [name] } })));
    expect(got).toEqual(wanted);
  });

  test("values that ask for nothing are left out, and so is what the gateway meets", async () => {
    const provider = String(model.split("#")[0]).toLowerCase();
    const all: readonly JsonObject[] = [
      ...Object.values(CASES).flatMap(({ empty }) => empty),
      { provider: { only: [provider] } },
      { provider: { ignore: ["azure"] } },
      { provider: { allow_fallbacks: false } },
      { disable_fallbacks: true },
      { cache: { "no-cache": true, "no-store": true } },
      { cache: { ttl: 5 } },
    ];
    const met = sampleRows(
      all,
      6,
      WAYS.findIndex(([one, other]) => one === surface && other === model),
    );
    const got: unknown[] = [];
    for (const body of met) {
      const { status, calls } = await ask(refusing, surface, model, body);
      const [field = ""] = Object.keys(body);
      const isSent = field !== "metadata" && JSON.stringify(Object.keys(asObject(calls[0]))).includes(field);
      got.push([body, status, calls.length, isSent]);
    }
    expect(got).toEqual(met.map((body) => [body, 200, 1, false]));
  });

  test("a misspelt field is refused before any call", async () => {
    const field = surface === "gemini" ? "generation_confg" : surface === "chat" ? "max_tokenss" : "modell";
    const meant = { gemini: "generationConfig", chat: "max_tokens" }[String(surface)] ?? "model";
    expect(describeAnswer(await ask(refusing, surface, model, { [field]: 5 }))).toEqual({
      status: 400,
      param: field,
      message: `Unknown parameter: '${field}'. Did you mean '${meant}'?`,
      calls: 0,
    });
  });
});

test("the codes", async () => {
  const zdr = await ask(refusing, "chat", "OpenAI#gpt-4.1", { provider: { zdr: true } });
  expect([zdr.status, zdr.code]).toEqual([400, "unsupported_parameter"]);
  const misspelt = await ask(refusing, "messages", "Anthropic#claude-sonnet-4-6", { max_tokenss: 5 });
  expect([misspelt.status, misspelt.code]).toEqual([400, "unknown_parameter"]);
});

test("a misspelt field comes before the one that it was meant to be", async () => {
  const { path } = SURFACES.messages;
  const response = await fetch(refusing.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${refusing.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "OpenAI#gpt-4.1",
      max_tokenss: 5,
      messages: [{ role: "user", content: "a" }],
    }),
  });
  expect(await response.text()).toContain("Unknown parameter: 'max_tokenss'. Did you mean 'max_tokens'?");
});

test.each(["chat", "completions", "embeddings"] as const)(
  "extra_fields: * meets nothing (%s)",
  async (surface) => {
    const sent = { provider: { zdr: true } };
    expect((await ask(refusing, surface, "Star#some-model", sent)).status).toBe(400);
    expect((await ask(refusing, surface, "Star#some-model", { inference_geo: "us" })).status).toBe(400);
  },
);

test("a request names at most 20 guardrails, wherever it names them and whatever the rule for constraints", async () => {
  const list = (count: number) => ({ guardrails: Array.from({ length: count }, (_, at) => `rule-${at}`) });
  for (const [body, param] of [
    [list(21), "guardrails"],
    [{ metadata: list(21) }, "metadata.guardrails"],
    [{ litellm_metadata: list(21) }, "litellm_metadata.guardrails"],
  ] as const) {
    const message = `Invalid '${param}': array too long. Expected at most 20 elements.`;
    const expected = { status: 400, param, message, calls: 0 };
    for (const world of [refusing, dropping])
      expect(describeAnswer(await ask(world, "chat", "Local#some-model", body))).toMatchObject(expected);
  }
  const most = await ask(refusing, "messages", "Anthropic#claude-sonnet-4-6", list(20));
  expect(describeAnswer(most)).toMatchObject({ status: 400, param: "guardrails[0]", calls: 0 });
  expect((await ask(dropping, "chat", "Local#some-model", list(20))).status).toBe(200);
});

test("Mistral takes guardrails of its own", async () => {
  const own = { guardrails: [{ block_on_error: true, moderation_llm_v1: {} }] };
  const { status, calls } = await ask(refusing, "chat", "Mistral#mistral-large-latest", own);
  expect([status, calls[0]?.guardrails]).toEqual([200, own.guardrails]);
  const named = await ask(refusing, "chat", "Mistral#mistral-large-latest", { guardrails: ["pii"] });
  expect(describeAnswer(named)).toMatchObject({ status: 400, param: "guardrails[0]", calls: 0 });
});

test("wishes are left out", async () => {
  for (const body of WISHES) {
    const { status, dropped } = await ask(refusing, "chat", "Local#some-model", body);
    expect([status, dropped]).toEqual([200, Object.keys(body).join()]);
  }
});

test.each(WAYS.filter(([, model]) => !/^(Responses|Google|Anthropic)/.test(model)))(
  "under drop, all of it is left out and named (%s, %s)",
  async (surface: SurfaceWord, model) => {
    const place = WAYS.findIndex(([one, other]) => one === surface && other === model);
    for (const { body } of sampleRows(Object.values(CASES), 5, place)) {
      const { status, calls } = await ask(dropping, surface, model, body);
      expect([body, status, calls.length]).toEqual([body, 200, 1]);
    }
    const { status } = await ask(dropping, surface, model, { temperatur: 1 });
    expect(status).toBe(200);
  },
);

test("under drop, instructions and options in the wrong place are refused as ever", async () => {
  const { status, code, param } = await ask(dropping, "chat", "Local#some-model", { extra_body: { a: 1 } });
  expect([status, code, param]).toEqual([400, "unknown_parameter", "extra_body"]);
});
