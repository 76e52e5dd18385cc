// Prompts that are too long: selectors say so in the words of each surface without a call, and failover only asks models
// with a longer context.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** Each costs as little, so that all are candidates. */
const model = (name: string, context: number, able = "") =>
  `{ name: "${name}", context: ${context}, output: 500, price: { input: 0.1, output: 0.1 }, capabilities: [${able}] }`;

/** More models than one request tries, all of which find the prompt too long. */
const OVERRATED = [1, 2, 3, 4, 5].map((at) => `overrated-${at}~trouble=context`);

function yaml(url: string): string {
  const models = [
    model("short", 2000),
    model("middle", 4000),
    model("seeing", 1000, "vision"),
    // Their provider finds the prompt too long, whatever the gateway thinks.
    model("first~trouble=context", 4000),
    model("second", 4000),
    model("third", 8000),
    '{ name: "open", context: 4000, price: { input: 0.1, output: 0.1 } }',
    ...OVERRATED.map((name) => model(name, 4000)),
  ];
  // The longer model comes last everywhere.
  const many = [...OVERRATED, "third"].map(
    (name, at) => `{ model: "Acme#${name}", weight: ${1000 / 10 ** at} }`,
  );
  return `  Acme: { dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", models: [${models}] }
aliases:
  chain: [{ model: "Acme#first~trouble=context", weight: 1000 }, { model: "Acme#second", weight: 0.1 }]
  many: [${many}]
models:
  "Acme#first~trouble=context": { fallbacks: ["Acme#second", "Acme#third"] }`;
}

let gateway: UnderTest;
let secret: string;
beforeAll(async () => {
  gateway = await startUnderTest({ more: yaml });
  const allowed = ["Router#*", "Acme#short", "Acme#middle", "Acme#seeing"];
  secret = (await gateway.newKey({ allowed_models: allowed, requests_per_day: null })).secret;
});
afterAll(() => gateway.stop());

const LONG = "word ".repeat(6000);

async function post(path: string, body: JsonObject) {
  const before = gateway.simulator.calls.total;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const { error: told } = asObject(await answer.json());
  const error = told === undefined ? {} : asObject(told);
  return { status: answer.status, error, calls: gateway.simulator.calls.total - before };
}

const chat = (content: unknown, more: JsonObject = {}) => ({
  model: "Router#best",
  messages: [{ role: "user", content }],
  ...more,
});

describe("a prompt that is too long for every model of a selector", () => {
  test.each([false, true])("is refused in OpenAI's words, streamed: %p", async (stream) => {
    const { status, error, calls } = await post("/v1/chat/completions", chat(LONG, { stream }));
    expect([status, calls]).toEqual([400, 0]);
    expect(error).toMatchObject({
      type: "invalid_request_error",
      code: "context_length_exceeded",
      param: "messages",
      message: expect.stringMatching(
        /^This model's maximum context length is 4000 tokens\. However, your messages resulted in \d{4,} tokens\. Please reduce the length of the messages\.$/,
      ),
    });
  });

  test("is refused in OpenAI's words with the output that was asked for", async () => {
    const { error } = await post("/v1/chat/completions", chat("word ".repeat(3500), { max_tokens: 400 }));
    expect(error.message).toMatch(
      /maximum context length is 4000 tokens\. However, you requested \d+ tokens \(\d+ in the messages, 400 in the completion\)/,
    );
  });

  test("is refused at /v1/responses with the code on which Codex compacts", async () => {
    const { status, error, calls } = await post("/v1/responses", { model: "Router#fair", input: LONG });
    expect([status, calls, error.code, error.param]).toEqual([400, 0, "context_length_exceeded", "input"]);
  });

  test("is refused at /v1/messages in the words on which Claude Code compacts", async () => {
    const { status, error, calls } = await post("/v1/messages", {
      ...chat(LONG),
      model: "Router#light",
      max_tokens: 100,
    });
    expect([status, calls, error.type]).toEqual([400, 0, "invalid_request_error"]);
    const [, asked, most] =
      /^prompt is too long: (\d+) tokens > (\d+) maximum$/.exec(String(error.message)) ?? [];
    expect(Number(most)).toBe(3900);
    expect(Number(asked)).toBeGreaterThan(3900);
  });

  // Claude Code asks for 32,000 tokens of every model. Sent is the model's own limit.
  test("leaves room for the longest answer that the models give, whatever /v1/messages asks for", async () => {
    const ask = { ...chat("word ".repeat(2600)), max_tokens: 32_000 };
    expect(await post("/v1/messages", ask)).toMatchObject({ status: 200, calls: 1 });
    const { error } = await post("/v1/messages", { ...chat(LONG), max_tokens: 32_000 });
    expect(error.message).toMatch(/tokens > 3500 maximum$/);
  });

  test("takes all of the context of a model whose longest answer is unknown", async () => {
    const before = secret;
    const allowed = ["Router#*", "Acme#open"];
    secret = (await gateway.newKey({ allowed_models: allowed, requests_per_day: null })).secret;
    const ask = { ...chat("word ".repeat(2600)), max_tokens: 32_000 };
    const fits = await post("/v1/messages", ask);
    const { error } = await post("/v1/messages", { ...ask, ...chat(LONG) });
    secret = before;
    expect(fits).toMatchObject({ status: 200, calls: 1 });
    expect(error.message).toMatch(/tokens > 4000 maximum$/);
  });

  test("is refused in Google's words", async () => {
    const body = { contents: [{ role: "user", parts: [{ text: LONG }] }] };
    const { status, error, calls } = await post("/v1beta/models/Router/best:generateContent", body);
    expect([status, calls, error.status]).toEqual([400, 0, "INVALID_ARGUMENT"]);
    expect(error.message).toMatch(
      /^The input token count \(\d+\) exceeds the maximum number of tokens allowed \(4000\)\.$/,
    );
  });

  test("names what the other models lack, and counts only those that lack length alone", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const content = [{ type: "text", text: LONG }, image];
    const { error } = await post("/v1/chat/completions", chat(content));
    expect([error.code, error.message]).toEqual([
      "context_length_exceeded",
      expect.stringMatching(
        /^This model's maximum context length is 1000 tokens\..* Other models behind Router#best were removed by: .*vision \(\d+\)/,
      ),
    ]);
  });

  test("isn't blamed if shortening it would help nothing", async () => {
    const key = await gateway.newKey({
      allowed_models: ["Router#*", "Acme#short"],
      requests_per_day: null,
    });
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const before = secret;
    secret = key.secret;
    const { error } = await post("/v1/chat/completions", chat([{ type: "text", text: LONG }, image]));
    secret = before;
    expect(error.code).toBe("unsupported_capability");
  });
});

test("after a refusal for length, only a model with a longer context is asked", async () => {
  const { secret: own } = await gateway.newKey({ requests_per_day: null });
  const ask = async (alias: string) => {
    const before = gateway.simulator.calls.total;
    const answer = await gateway.chat({ ...chat("say: hi"), model: alias }, { secret: own });
    await answer.body?.cancel();
    const { headers, status } = answer;
    return [status, headers.get("x-poundkey-model"), gateway.simulator.calls.total - before];
  };
  expect(await ask("chain")).toEqual([200, "Acme#third", 2]);
});

describe.each(["Router#best", "Router#fair", "Router#light", "many"])(
  "%s reaches a longer model behind more models than it tries",
  (name) => {
    test.each([false, true])("streamed: %p", async (stream) => {
      const allowed = ["Router#*", ...[...OVERRATED, "third"].map((model) => `Acme#${model}`)];
      const own = await gateway.newKey({ allowed_models: allowed, requests_per_day: null });
      const body = { ...chat("word ".repeat(2300), { stream }), model: name };
      const answered = await gateway.chat(body, { secret: name === "many" ? gateway.secret : own.secret });
      expect([answered.status, answered.headers.get("x-poundkey-model")]).toEqual([200, "Acme#third"]);
      await answered.text();
    });
  },
);
