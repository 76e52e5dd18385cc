// Traces of requests as a strict collector reads them, for each way in which a request can end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { asking } from "../whole/world/world.ts";
import { type Collector, startCollector } from "./collector.ts";
import { findTrace, sendTraced, type Traced } from "./traced.ts";

const SLOW = "sim-mini~latency=1500";
const BAD = "sim-mini~trouble=500";
const CARD = "context: 8192, output: 2048, price: { input: 1, output: 2 }";

let collector: Collector;
let gateway: UnderTest;

function providers(url: string): string {
  const at = `dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key]`;
  return `
  Down: { ${at}, models: [{ name: "${BAD}", ${CARD} }] }
  Slow: { ${at}, models: [{ name: "${SLOW}", ${CARD} }] }
  Sound: { ${at}, models: [{ name: sim-mini, ${CARD} }, { name: sim-fast, ${CARD} }] }
models:
  "Down#${BAD}": { fallbacks: ["Sound#sim-mini"] }
  "Slow#${SLOW}": { fallbacks: ["Sound#sim-fast"], hedge: { after: 50ms, at_most: 100% } }
router: { allow: ["Sound#*"] }
telemetry: { otlp: { endpoint: "${collector.url}", headers: { x-api-key: "a-secret-of-the-collector" } } }`;
}

beforeAll(async () => {
  collector = startCollector();
  gateway = await startUnderTest({ more: providers });
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop();
});

const trace = (path: string, body: object, headers: Record<string, string> = {}) =>
  sendTraced({ gateway, collector }, path, body, headers);
const chat = (model: string, more: Record<string, unknown> = {}) => asking(model, "say: good day", more);
const calls = ({ below }: Pick<Traced, "below">) => below.filter(({ kind }) => kind === "client");

describe.concurrent("the spans of a request", () => {
  test("whole: the server's span and the call's below it, with usage, cost and parameters", async () => {
    const traced = await trace("/v1/chat/completions", {
      ...chat("Sound#sim-mini"),
      temperature: 1,
      max_tokens: 99,
      stop: "END",
    });
    expect(traced.server).toMatchObject({
      name: "POST /v1/chat/completions",
      parentSpanId: null,
      isError: false,
      links: [],
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "url.path": "/v1/chat/completions",
        "http.response.status_code": 200,
        "poundkey.model_asked": "Sound#sim-mini",
        "poundkey.model": "Sound#sim-mini",
        "poundkey.attempts": 1,
        "poundkey.ended": "done",
        "poundkey.cost_usd": expect.any(Number),
        "poundkey.charged_usd": 0,
      },
    });
    const [call, ...others] = calls(traced);
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      name: "chat sim-mini",
      isError: false,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "Sound",
        "gen_ai.request.model": "sim-mini",
        "gen_ai.response.model": "sim-mini",
        "gen_ai.response.id": expect.stringMatching(/^chatcmpl-/),
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.request.temperature": 1,
        "gen_ai.request.max_tokens": 99,
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(gateway.simulator.url).port),
        "poundkey.outcome": "answered",
      },
    });
    expect(JSON.stringify(traced.below.map(({ attributes }) => attributes))).not.toMatch(/good day|END/);
  });

  test("streamed: with the time to its first part", async () => {
    const traced = await trace("/v1/chat/completions", chat("Sound#sim-mini", { stream: true }));
    const [call] = calls(traced);
    expect(call?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
    expect(traced.server.attributes).toMatchObject({
      "http.response.status_code": 200,
      "poundkey.stream": true,
    });
  });

  test("failed over: one call failed, the next answered, as siblings", async () => {
    const traced = await trace("/v1/chat/completions", chat(`Down#${BAD}`));
    expect(traced.status).toBe(200);
    const [first, second, ...others] = calls(traced);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      isError: true,
      attributes: {
        "poundkey.attempt": 1,
        "poundkey.outcome": "failed",
        "error.type": "upstream_error",
        "http.response.status_code": 500,
      },
    });
    expect(first?.attributes["gen_ai.usage.input_tokens"]).toBeUndefined();
    expect(second).toMatchObject({
      isError: false,
      attributes: { "poundkey.attempt": 2, "poundkey.outcome": "answered" },
    });
    expect(traced.server).toMatchObject({ isError: false, attributes: { "poundkey.attempts": 2 } });
  });

  test("hedged: the slower call was outrun, which is no error", async () => {
    const traced = await trace("/v1/chat/completions", chat(`Slow#${SLOW}`));
    expect(traced.headers.get("x-poundkey-model")).toBe("Sound#sim-fast");
    const outcomes = calls(traced).map(({ attributes, isError }) => [
      attributes["poundkey.outcome"],
      isError,
    ]);
    expect(outcomes).toEqual([
      ["outrun", false],
      ["answered", false],
    ]);
  });

  test("failed: an error of the server, and of the call", async () => {
    const traced = await trace("/v1/chat/completions", chat(`Local#${BAD}`));
    expect(traced.status).toBe(502);
    expect(traced.server).toMatchObject({
      isError: true,
      attributes: { "http.response.status_code": 502, "error.type": "upstream_error" },
    });
    const [call, ...others] = calls(traced);
    expect(others).toEqual([]);
    expect(call?.isError).toBe(true);
    // An answer that never came has no id, no model and no tokens.
    const answered = Object.keys(call?.attributes ?? {}).filter((name) =>
      /^gen_ai\.(response|usage)\./.test(name),
    );
    expect(answered).toEqual([]);
  });

  test("a stream that broke began with 200, and is an error", async () => {
    const traced = await trace("/v1/chat/completions", chat("Local#sim-mini~trouble=cut", { stream: true }));
    expect(traced.server).toMatchObject({ isError: true, attributes: { "http.response.status_code": 200 } });
    expect(traced.server.attributes["error.type"]).toBeString();
  });

  test.each([
    ["a key that isn't right", { authorization: "Bearer pk-wrong" }, {}, 401, "invalid_api_key"],
    ["a field that isn't right", {}, { temperature: 9 }, 400, "decimal_above_max_value"],
    ["an unknown model", {}, { model: "nobody" }, 404, "model_not_found"],
  ])("refused for %s: no error of the server, and no call", async (_, headers, fields, status, code) => {
    const body = { ...chat("Sound#sim-mini"), ...fields };
    const traced = await trace("/v1/chat/completions", body, headers);
    expect(traced.below).toEqual([]);
    expect(traced.server).toMatchObject({
      isError: false,
      attributes: { "http.response.status_code": status, "error.type": code },
    });
  });

  test("refused by a limit: no call was made", async () => {
    const { secret } = await gateway.newKey({ requests_per_minute: 1 });
    const headers = { authorization: `Bearer ${secret}` };
    await trace("/v1/chat/completions", chat("Sound#sim-mini"), headers);
    const traced = await trace("/v1/chat/completions", chat("Sound#sim-mini"), headers);
    expect(traced.status).toBe(429);
    expect(calls(traced)).toEqual([]);
    expect(traced.server.attributes).toMatchObject({ "http.response.status_code": 429 });
  });

  test("a client that left got no status", async () => {
    const id = `left-${crypto.randomUUID()}`;
    const leaving = new AbortController();
    const asked = gateway
      .chat(chat("Local#sim-mini~latency=5000"), { headers: { "x-request-id": id }, signal: leaving.signal })
      .catch(() => null);
    await until("the call is under way", () =>
      gateway.simulator.calls
        .all()
        .some(({ ended, body }) => ended === null && JSON.stringify(body).includes("latency=5000")),
    );
    leaving.abort();
    await asked;
    const { server, below } = await findTrace(collector, id);
    expect(server.attributes).toMatchObject({ "poundkey.ended": "client_gone", "error.type": "client_gone" });
    expect(server.attributes["http.response.status_code"]).toBeUndefined();
    expect(calls({ below }).map(({ attributes }) => attributes["poundkey.outcome"])).toEqual(["left"]);
  });

  test("chosen by a selector: the choice is a span of its own", async () => {
    const traced = await trace("/v1/chat/completions", chat("Router#light"));
    const choice = traced.below.find(({ name }) => name === "select Router#light");
    expect(choice).toMatchObject({
      kind: "internal",
      attributes: {
        "poundkey.selector": "Router#light",
        "poundkey.chosen": traced.headers.get("x-poundkey-model"),
        "poundkey.candidates": expect.any(Number),
      },
    });
  });

  test("on the native lane", async () => {
    const traced = await trace("/v1/messages", {
      model: "Anthropic#sim-mini",
      max_tokens: 64,
      messages: [{ role: "user", content: "say: good day" }],
    });
    expect(traced.status).toBe(200);
    expect(traced.server.name).toBe("POST /v1/messages");
    expect(calls(traced)[0]?.attributes).toMatchObject({
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.max_tokens": 64,
      "poundkey.outcome": "answered",
    });
  });

  test("of embeddings", async () => {
    const traced = await trace("/v1/embeddings", { model: "OpenAI#sim-embed", input: "a text" });
    expect(traced.status).toBe(200);
    expect(calls(traced)).toMatchObject([
      { name: "embeddings sim-embed", attributes: { "gen_ai.operation.name": "embeddings" } },
    ]);
  });

  test("of an answer that is repeated: no call", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    await trace("/v1/chat/completions", chat("Sound#sim-mini"), key);
    const traced = await trace("/v1/chat/completions", chat("Sound#sim-mini"), key);
    expect(traced.headers.get("x-poundkey-replayed")).toBe("true");
    expect(traced.below).toEqual([]);
    expect(traced.server.attributes).toMatchObject({ "http.response.status_code": 200 });
  });
});

describe("the exporter", () => {
  test("names the program, and sends the operator's headers", () => {
    expect(collector.errors).toEqual([]);
    expect(collector.resources[0]).toMatchObject({
      "service.name": "poundkey",
      "service.version": expect.any(String),
    });
    for (const headers of collector.headers)
      expect(headers.get("x-api-key")).toBe("a-secret-of-the-collector");
  });

  test("sends the lines of the log, typed", async () => {
    const log = await until("the lines arrive", () =>
      collector.logs.find(({ event }) => event === "request"),
    );
    expect(log).toMatchObject({
      severity: "INFO",
      attributes: { "poundkey.surface": expect.any(String), "poundkey.total_ms": expect.any(Number) },
    });
    const refused = collector.logs.find(({ event }) => event === "refused");
    // It has the line's fields, and no others.
    expect(refused?.attributes).toMatchObject({ "poundkey.code": expect.any(String) });
    expect(refused?.attributes["poundkey.refusal"]).toBeUndefined();
  });

  test("tells a line's trace, of an answer and of a refusal", async () => {
    const [{ server: answered }, { server: refused }] = await Promise.all([
      trace("/v1/chat/completions", chat("Sound#sim-mini")),
      trace("/v1/chat/completions", chat("nobody")),
    ]);
    for (const [event, { traceId }] of [
      ["request", answered],
      ["refused", refused],
    ] as const) {
      await until("its line arrives", () =>
        collector.logs.some((log) => log.event === event && log.traceId === traceId),
      );
    }
  });

  test("no prompt, answer or secret is in anything that it sent", () => {
    const told = [...collector.spans, ...collector.logs].map(({ attributes, ...more }) =>
      JSON.stringify([attributes, "name" in more ? more.name : more.event]),
    );
    expect(told.length).toBeGreaterThan(30);
    const { secret, adminToken } = gateway;
    for (const hidden of ["good day", "a text", "sim-key", "pk-wrong", "Bearer", secret, adminToken])
      expect(told.filter((one) => one.includes(hidden))).toEqual([]);
  });
});
