// Legacy completions over HTTP: OpenAI's SDK, suffixes, streams, money, and the addresses of fill-in-the-middle
// servers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { failure, readStanding } from "../../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";

interface Seen {
  readonly path: string;
  readonly body: JsonObject;
}

let upstream: TestServer;
let gateway: UnderTest;
let client: OpenAI;
const calls: Seen[] = [];

const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

function answer({ path, body }: Seen): string {
  const isChat = path.endsWith("/fim/completions");
  const count = (Array.isArray(body.prompt) ? body.prompt.length : 1) * Number(body.n ?? 1);
  const choice = (index: number, text: string, field: string, finish: string | null) =>
    isChat
      ? { index, [field]: { role: "assistant", content: text }, finish_reason: finish }
      : {
          index,
          text,
          logprobs: body.logprobs === undefined ? null : { tokens: [text] },
          finish_reason: finish,
        };
  if (body.stream !== true) {
    const choices = Array.from({ length: count }, (_, at) => choice(at, `middle ${at}`, "message", "stop"));
    return JSON.stringify({ choices, usage: USAGE });
  }
  const events = [
    { choices: [choice(0, "mid", "delta", null)] },
    { choices: [choice(0, "dle", "delta", "stop")], ...(isChat ? { usage: USAGE } : {}) },
    ...(body.stream_options === undefined ? [] : [{ choices: [], usage: USAGE }]),
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    const body = asObject(parseJson(await readText(request)));
    const seen = { path: request.url ?? "", body };
    calls.push(seen);
    response.writeHead(200, {
      "content-type": body.stream === true ? "text/event-stream" : "application/json",
    });
    response.end(answer(seen));
  });
  const model = "operations: [completion], context: 8000, output: 1000, price: { input: 1, output: 2 }";
  gateway = await startUnderTest({
    more: [
      `  Filler: { dialect: openai, base_url: "${upstream.url}", models: [{ name: coder, ${model} }] }`,
      `  DeepSeek: { keys: ["k"], base_url: "${upstream.url}" }`,
      `  Codestral: { dialect: mistral, keys: ["k"], base_url: "${upstream.url}", models: [{ name: codestral, ${model} }] }`,
    ].join("\n"),
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.secret, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

describe("OpenAI's SDK", () => {
  test("gets a whole answer, with a suffix and legacy log probabilities", async () => {
    const whole = await client.completions.create({
      model: "Filler#coder",
      prompt: "def f(",
      suffix: "return x",
      max_tokens: 16,
      logprobs: 1,
      stop: "\n",
    });
    expect(whole).toMatchObject({ object: "text_completion", model: "Filler#coder", usage: USAGE });
    expect(whole.choices).toEqual([
      { index: 0, text: "middle 0", finish_reason: "stop", logprobs: { tokens: ["middle 0"] } },
    ]);
    expect(calls.at(-1)).toEqual({
      path: "/v1/completions",
      body: {
        model: "coder",
        prompt: "def f(",
        suffix: "return x",
        max_tokens: 16,
        logprobs: 1,
        stop: ["\n"],
      },
    });
  });

  test("gets a stream, with usage if requested", async () => {
    const ask = { model: "Filler#coder", prompt: "x", stream: true } as const;
    const plain = await Array.fromAsync(await client.completions.create(ask));
    expect(plain.map(({ choices }) => choices[0]?.text).join("")).toBe("middle");
    expect(plain.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    const counted = await client.completions.create({ ...ask, stream_options: { include_usage: true } });
    expect((await Array.fromAsync(counted)).at(-1)).toMatchObject({ choices: [], usage: USAGE });
  });

  test("several prompts and answers are numbered prompt by prompt", async () => {
    const { choices } = await client.completions.create({ model: "Filler#coder", prompt: ["a", "b"], n: 2 });
    expect(choices.map(({ index, text }) => [index, text])).toEqual(
      [0, 1, 2, 3].map((at) => [at, `middle ${at}`]),
    );
  });

  test("refusals name the field", async () => {
    const refused = async (more: object) =>
      (
        await failure(
          OpenAI.BadRequestError,
          client.completions.create({ model: "Filler#coder", prompt: "x", ...more }),
        )
      ).param;
    expect(await refused({ n: 17 })).toBe("n");
    expect(await refused({ n: 2, best_of: 20 })).toBe("best_of");
    expect(await refused({ prompt: Array.from({ length: 17 }, () => "x") })).toBe("prompt");
    expect(await refused({ max_tokens: -1 })).toBe("max_tokens");
    expect(await refused({ prompt: { a: 1 } })).toBe("prompt");
    expect(await refused({ model: "OpenAI#gpt-4.1-mini" })).toBe("model");
  });
});

test("DeepSeek and Mistral complete at their own addresses, one answer per call", async () => {
  const before = calls.length;
  const deep = await client.completions.create({
    model: "DeepSeek#deepseek-v4-flash",
    prompt: ["a", "b"],
    suffix: "c",
  });
  expect(deep.choices.map(({ index }) => index)).toEqual([0, 1]);
  expect(calls.slice(before).map(({ path, body }) => [path, body.prompt, body.suffix])).toEqual([
    ["/v1/beta/completions", "a", "c"],
    ["/v1/beta/completions", "b", "c"],
  ]);
  const { data, response } = await client.completions
    .create({ model: "Codestral#codestral", prompt: "a", suffix: "c", echo: true })
    .withResponse();
  expect(data.choices[0]).toMatchObject({ text: "middle 0", finish_reason: "stop" });
  expect(response.headers.get("x-poundkey-dropped")).toBe("echo");
  expect(calls.at(-1)?.path).toBe("/v1/fim/completions");
  const events = await client.completions.create({ model: "Codestral#codestral", prompt: "a", stream: true });
  expect((await Array.fromAsync(events)).map(({ choices }) => choices[0]?.text).join("")).toBe("middle");
});

test("it is charged by the provider's count, and takes a place per possible answer", async () => {
  const { secret } = await gateway.newKey({ requests_per_day: 50 });
  const other = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
  await other.completions.create({ model: "Filler#coder", prompt: ["a", "b"], n: 1, best_of: 3 });
  expect((await readStanding(gateway.url, secret)).used).toBe(6);
  const row = await until("the request is written down", async () => {
    const response = await fetch(`${gateway.url}/admin/v1/requests?limit=1`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    const [latest] = asObject(await response.json()).data as JsonObject[];
    return latest?.operation === "completion" && asObject(latest.tokens).completion === 7 ? latest : null;
  });
  expect(row).toMatchObject({ surface: "openai-completions", cost_usd: (5 * 1 + 7 * 2) / 1e6 });
});
