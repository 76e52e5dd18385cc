// The surfaces over HTTP: failover between families, thinking that a provider refuses, money, counting and errors.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readUpstreamLimit } from "../world/money-asking.ts";
import { type MoneyWorld, startMoneyWorld } from "../world/money-world.ts";

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld(
    '  "Claude#sim~trouble=500": { fallbacks: ["Acme#sim~tokens=1000:500"] }',
    "keep_alive: 300ms",
  );
});
afterAll(() => world.stop());

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Got> {
  const response = await fetch(world.url + path, {
    method,
    headers: { "x-api-key": world.secret, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? asObject(JSON.parse(text)) : {},
  };
}

const ask = (model: string, more: JsonObject = {}) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: "user", content: "say: good day" }],
  ...more,
});

describe("failover between families", () => {
  test("switches from the native lane to translation, and names what was lost", async () => {
    for (const stream of [false, true]) {
      const body = ask("Claude#sim~trouble=500", { stream, context_management: { edits: [] } });
      const headers = { "anthropic-beta": "context-management-2025-06-27" };
      const got = await call("POST", "/v1/messages", body, headers);
      expect([got.status, got.headers.get("x-poundkey-attempts")]).toEqual([200, "2"]);
      expect(got.headers.get("x-poundkey-model")).toBe("Acme#sim~tokens=1000:500");
      expect(got.headers.get("x-poundkey-dropped")).toBe("context_management");
      expect(got.text).toContain("good");
      expect(got.text).toContain('"type":"message"');
    }
  });
});

describe("thinking rejected by the provider", () => {
  const history = [
    { role: "user", content: "Hello." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "bm90IHRoZWlycw==" },
        { type: "text", text: "Yes?" },
      ],
    },
    { role: "user", content: "say: good day" },
  ];

  test("is dropped in a second call", async () => {
    const got = await call("POST", "/v1/messages", ask("Claude#sim~tokens=1000:500", { messages: history }));
    expect([got.status, got.headers.get("x-poundkey-attempts")]).toEqual([200, "2"]);
    expect(got.text).toContain("good day");
  });

  test("is dropped in advance if it has no signature", async () => {
    const unsigned = JSON.parse(JSON.stringify(history).replace("bm90IHRoZWlycw==", ""));
    const got = await call("POST", "/v1/messages", ask("Claude#sim~tokens=1000:500", { messages: unsigned }));
    expect([got.status, got.headers.get("x-poundkey-attempts")]).toEqual([200, "1"]);
  });
});

const NATIVE: readonly (readonly [path: string, body: JsonObject])[] = [
  ["/v1/messages", ask("Claude#sim~tokens=1000:500")],
  ["/v1beta/models/Acme/sim:generateContent", { contents: [{ role: "user", parts: [{ text: "x" }] }] }],
  ["/v1/responses", { model: "Acme#sim", input: "x" }],
];
test.each(NATIVE)(
  "%s: a repeated request is the same in every field, but for its delivery",
  async (path, body) => {
    const headers = { "idempotency-key": path };
    const send = (more: JsonObject) => call("POST", path, { ...body, ...more }, headers);
    const first = await send({});
    const again = await send({});
    const other = await send({ its_own_field: 1 });
    expect([first.status, again.status, other.status]).toEqual([200, 200, 409]);
    expect(again.headers.get("x-poundkey-replayed")).toBe("true");
    if (path.includes("generateContent")) return;
    expect((await send({ stream: true })).headers.get("x-poundkey-replayed")).toBe("true");
  },
);

describe("money", () => {
  test("a required limit is held and sent up to a quarter of the balance", async () => {
    // 4,096 output tokens at 25 USD per million and a short prompt cost 0.11 USD.
    const payer = await world.payer(0.5);
    const got = await call("POST", "/v1/messages", ask("Acme#wide", { max_tokens: 64_000 }), {
      "x-api-key": payer.secret,
    });
    expect(got.status).toBe(200);
    expect(got.headers.get("x-poundkey-dropped")).toBe("max_tokens");
    const { requests } = await world.settled(payer, 1);
    expect(Number(requests[0]?.hold_nano)).toBeWithin(4096 * 25_000, 0.126e9);
    const sent = asObject(world.provider.calls.last()?.body);
    expect(sent.max_tokens ?? sent.max_completion_tokens).toBeWithin(4096, 64_000);
  });

  test("a lowered limit has the client's own name on every API", async () => {
    const limits: readonly (readonly [string, JsonObject, string])[] = [
      ["/v1/chat/completions", ask("", { max_tokens: 64_000 }), "max_tokens"],
      ["/v1/responses", { input: "x", max_output_tokens: 64_000 }, "max_output_tokens"],
      [
        "/v1beta/models/Acme%23wide:generateContent",
        { contents: [{ parts: [{ text: "x" }] }], generationConfig: { maxOutputTokens: 64_000 } },
        "generationConfig.maxOutputTokens",
      ],
    ];
    // The limit of 'narrow' is below 16,384, and a quarter of its balance covers less than 4,096 tokens.
    for (const [model, usd] of [
      ["wide", 0.5],
      ["narrow", 0.15],
    ] as const) {
      for (const [path, fields, name] of limits) {
        const payer = await world.payer(usd);
        const body = { ...fields, model: `Acme#${model}` };
        const got = await call("POST", path.replace("wide", model), body, { "x-api-key": payer.secret });
        const dropped = got.headers.get("x-poundkey-dropped");
        expect([path, model, got.status, dropped]).toEqual([path, model, 200, name]);
        expect(readUpstreamLimit(world.provider.calls.last()?.body)).toBeWithin(4096, 5000);
      }
    }
  });

  test("a native answer is charged once by the provider's report, and shows its charge", async () => {
    const payer = await world.payer(10);
    for (const stream of [false, true]) {
      const got = await call("POST", "/v1/messages", ask("Claude#sim~tokens=1000:500", { stream }), {
        "x-api-key": payer.secret,
      });
      expect(got.text).toContain('"cost":0.002,"charged":0.002');
    }
    const { requests } = await world.settled(payer, 2);
    expect(requests.map(({ charged_nano }) => charged_nano)).toEqual([2_000_000, 2_000_000]);
  });
});

describe("counting tokens", () => {
  test("is free, takes no place, calls no provider, and is limited", async () => {
    const payer = await world.payer(1);
    const calls = world.provider.calls.total;
    const headers = { "x-api-key": payer.secret };
    const statuses = new Map<number, number>();
    for (let at = 0; at < 70; at++) {
      const got = await call("POST", "/v1/messages/count_tokens", ask("Acme#sim"), headers);
      statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
      if (got.status === 200) expect(got.body.input_tokens).toBeGreaterThan(0);
      else expect([got.status, Number(got.headers.get("retry-after"))]).toEqual([429, 1]);
    }
    expect(statuses.get(200)).toBeWithin(60, 70);
    expect(world.provider.calls.total).toBe(calls);
    expect(world.books(payer)).toMatchObject({ holds: 0, requests: [], used: 0 });
  });
});

describe("keep-alives", () => {
  test.each([
    ["/v1/messages", ask("Acme#sim~trouble=silent", { stream: true })],
    ["/v1/responses", { model: "Acme#sim~trouble=silent", input: "a", stream: true }],
  ])("a silent stream of %s sends comments", async (path, body) => {
    const controller = new AbortController();
    const response = await fetch(world.url + path, {
      method: "POST",
      headers: { "x-api-key": world.secret, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toBe(": keep-alive\n\n");
    controller.abort();
  });
});

/** The reader of @google/genai in Gemini CLI 0.61.0: it matches at the start of what it has buffered. */
const GEMINI_CLI_READER = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/;

test("a silent stream of Gemini's sends blank lines, over which its oldest reader still finds the next event", async () => {
  const controller = new AbortController();
  const response = await fetch(
    `${world.url}/v1beta/models/Acme/sim~trouble=silent:streamGenerateContent?alt=sse`,
    {
      method: "POST",
      headers: { "x-goog-api-key": world.secret, "content-type": "application/json" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "a" }] }] }),
      signal: controller.signal,
    },
  );
  const first = new TextDecoder().decode((await response.body?.getReader().read())?.value);
  expect(first).toMatch(/^\n+$/);
  expect(GEMINI_CLI_READER.exec(`${first}data: {"a":1}\n\n`)?.[1]).toBe('{"a":1}');
  controller.abort();
});

test("a path without `models` before the provider's name is Gemini's too", async () => {
  const body = { contents: [{ role: "user", parts: [{ text: "say: good day" }] }] };
  const got = await call("POST", "/v1beta/Acme/sim:generateContent", body);
  expect([got.status, got.body.modelVersion]).toEqual([200, "Acme#sim"]);
});

describe("errors have the format of the path's API", () => {
  test.each([
    ["POST", "/v1/messages/batches", 400, { type: "error", error: { type: "invalid_request_error" } }],
    ["POST", "/v1/messages/others", 404, { type: "error", error: { type: "not_found_error" } }],
    ["GET", "/v1/messages", 405, { type: "error", error: { type: "invalid_request_error" } }],
    ["POST", "/v1/messages", 400, { type: "error", error: { type: "invalid_request_error" } }],
    ["POST", "/v1beta/models/a:b", 404, { error: { code: 404, status: "NOT_FOUND" } }],
    ["POST", "/v1/models/Acme%23sim", 404, { error: { type: "invalid_request_error", code: "unknown_url" } }],
    [
      "POST",
      "/v1beta/models/Acme%23sim:generateContent",
      400,
      { error: { code: 400, status: "INVALID_ARGUMENT" } },
    ],
    ["GET", "/v1/responses/resp_1", 404, { error: { code: "not_found", param: "id" } }],
    ["POST", "/v1/responses", 400, { error: { code: "missing_required_parameter", param: "model" } }],
  ] as const)("%s %s", async (method, path, status, body) => {
    const got = await call(method, path, method === "POST" ? {} : undefined);
    expect({ status: got.status, body: got.body }).toMatchObject({ status, body });
  });

  test("a client's own time limit gives the same error code in every API", async () => {
    const path = "/v1beta/models/Acme%23sim~trouble=silent:generateContent";
    const got = await call(
      "POST",
      path,
      { contents: [{ parts: [{ text: "x" }] }] },
      { "x-poundkey-timeout": "0.1" },
    );
    expect(got.body.error).toMatchObject({ status: "DEADLINE_EXCEEDED", reason: "upstream_timeout" });
  });

  test("Messages name the request in the header that Anthropic's SDKs read", async () => {
    for (const body of [ask("Acme#sim"), ask("Acme#sim", { stream: true }), {}]) {
      const { headers } = await call("POST", "/v1/messages", body);
      expect(headers.get("request-id")).toBe(headers.get("x-request-id") ?? "none");
    }
  });

  test("an invalid key", async () => {
    const headers = { "x-api-key": "sk-ant-nobody" };
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const got = await call("POST", path, ask("Acme#sim"), headers);
      expect([got.status, asObject(got.body.error).type]).toEqual([401, "authentication_error"]);
      expect(got.headers.get("x-should-retry")).toBe("false");
    }
  });

  test("HEAD / is answered without a key", async () => {
    const response = await fetch(`${world.url}/`, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});
