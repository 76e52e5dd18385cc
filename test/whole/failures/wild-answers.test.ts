// Oversized answers: more than was requested, or too slow to read, counts as malformed and is never passed on.
// Answers that a model gave up: they are the client's error alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, readText, type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { readText as readSent, serveHttp, type TestServer } from "../world/serve.ts";
import { startWildUpstream } from "../world/wild-upstream.ts";

let upstream: TestServer;
let gateway: UnderTest;

beforeAll(async () => {
  upstream = await startWildUpstream();
  const wild = `  Wild: { dialect: openai, base_url: "${upstream.url}", keys: ["sim-key"], unlisted_models: true }`;
  gateway = await startUnderTest({ more: wild });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function ask(model: string, more: object = {}, words = "hello"): Promise<Seen> {
  const body = { model: `Wild#${model}`, messages: [{ role: "user", content: words }], ...more };
  return seen(await gateway.chat(body));
}

const FAILED = { whole: "502 api_error upstream_error", stream: "502 api_error upstream_error" };
/** The first text had already been sent. */
const BROKEN_OFF = { whole: FAILED.whole, stream: "200 then api_error upstream_error" };
const FINE = { whole: "200 whole", stream: "200 done" };

const ROWS: readonly (readonly [model: string, lines: typeof FINE, more?: object])[] = [
  ["two-choices", FAILED],
  ["second-index", BROKEN_OFF],
  ["many-choices", FAILED, { n: 2 }],
  ["many-elements", FAILED],
  ["many-fields", FAILED],
  ["deep", FAILED],
  ["likely", FAILED],
  ["likely", FINE, { logprobs: true, top_logprobs: 20 }],
  ["15-megabytes", FINE],
  ["17-megabytes", { ...FINE, whole: FAILED.whole }],
  ["blank-lines", FINE],
  ["blank-events", FINE],
  ["blank-data", FAILED],
];

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(ROWS)("%s", async (model, lines, more = {}) => {
    const answer = await ask(model, { stream, ...more });
    const whole = model === "blank-data" ? FINE.whole : lines.whole;
    expect(formatLine(answer)).toBe(stream ? lines.stream : whole);
    if (!answer.error) expect(readText(answer)).toBe("good day");
  });
});

function asking(stream: boolean) {
  return stream ? { stream, stream_options: { include_usage: true } } : { stream };
}

function counts({ body, stream }: Seen) {
  const { prompt_tokens, completion_tokens, completion_tokens_details } = asObject(
    stream ? stream.usage : body.usage,
  );
  return { prompt_tokens, completion_tokens, completion_tokens_details };
}

const MALFORMED = [
  '{"prompt_tokens":1e400,"completion_tokens":5,"total_tokens":15}',
  '{"prompt_tokens":-3,"completion_tokens":5,"total_tokens":2}',
  '{"prompt_tokens":"10","completion_tokens":5,"total_tokens":15}',
  '{"prompt_tokens":10,"completion_tokens":[5],"total_tokens":15}',
  '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":1e400}',
  '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-9}}',
  '{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":1e999}}',
  "{}",
];

describe.each([false, true])("a malformed count invalidates the whole report, streamed: %p", (stream) => {
  test.each(MALFORMED)("%s", async (report) => {
    const answer = await ask("usage", asking(stream), report);
    // As long as the report, so that the prompt's estimate is the same.
    const unreported = await ask("usage", asking(stream), "null".padEnd(report.length));
    expect(counts(answer)).toEqual(counts(unreported));
  });

  test("a valid one counts", async () => {
    const report = '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}';
    const answer = await ask("usage", asking(stream), report);
    expect(counts(answer)).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
  });
});

describe("the client sees the field named in the provider's refusal", () => {
  const rows: readonly (readonly [param: unknown, shown: string | null])[] = [
    ["messages[0].content", "messages[0].content"],
    ["tools[3].function.parameters", "tools[3].function.parameters"],
    [undefined, null],
    [null, null],
    [7, null],
    ["", null],
    ["what the client said, in words", null],
    ["x".repeat(129), null],
    ["sk-abcdefghijklmnop", null],
    ["https://up.example/v1", null],
  ];
  test.each(rows)("%p", async (param, shown) => {
    const error = JSON.stringify({ message: "No such thing.", code: "invalid_value", param });
    const answer = await ask("error", {}, error);
    expect([answer.status, answer.error?.param]).toEqual([400, shown]);
  });

  test("but not if the provider blames the gateway", async () => {
    const error = JSON.stringify({ message: "No.", code: "invalid_api_key", param: "api_key" });
    expect((await ask("error", {}, error)).error).toMatchObject({ code: "upstream_auth", param: null });
  });
});

describe("a model that gives answers up", () => {
  /** Google answers a prompt in capitals by a finish reason alone. */
  const GIVEN_UP = /"[A-Z_]+"}/;
  let google: TestServer;
  let asked: UnderTest;
  beforeAll(async () => {
    google = await serveHttp(async (request, response) => {
      const [reason] = GIVEN_UP.exec(await readSent(request)) ?? [];
      const answer = { content: { parts: [{ text: "good day" }] }, finishReason: "STOP" };
      const candidates = reason ? [{ finishReason: reason.slice(1, -2) }] : [answer];
      response.setHeader("content-type", "text/event-stream");
      response.end(`data: ${JSON.stringify({ candidates })}\n\n`);
    });
    asked = await startUnderTest({
      more: `  Giving: { dialect: gemini, base_url: "${google.url}", keys: [a-key], unlisted_models: true }`,
    });
  });
  afterAll(async () => {
    await asked.stop();
    await google.stop();
  });

  test("stays available: their clients alone get the error", async () => {
    const send = async (words: string) => {
      const messages = [{ role: "user", content: words }];
      return formatLine(await seen(await asked.chat({ model: "Giving#m", messages, stream: true })));
    };
    const reasons = ["NO_IMAGE", "IMAGE_OTHER", "UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL", "OTHER"];
    for (const reason of [...reasons, ...reasons]) expect(await send(reason)).toBe(FAILED.stream);
    expect(await send("hello")).toBe(FINE.stream);
    const { body } = await createOperator(asked).get("/providers");
    const row = asArray(body.data)
      .map(asObject)
      .find(({ name }) => name === "Giving");
    expect(row).toMatchObject({ breaker: "closed", error_rate: 0 });
  });
});
