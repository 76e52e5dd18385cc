// Error bodies of the many servers of the OpenAI dialect, and the fault that each means.

import { describe, expect, test } from "bun:test";
import { upstreamFault } from "../../../src/core/models/upstream.ts";
import { catchCode, streamed, whole, writeStream } from "./drive.ts";
import { findProviderDialect } from "./openai-cases.ts";

const server = findProviderDialect("Local");

describe("error bodies", () => {
  const quoted = JSON.stringify({ error: { message: "Too long", code: "context_length_exceeded" } });
  const BODIES: readonly (readonly [number, unknown, string, string?])[] = [
    [400, { error: { message: "Bad n", code: "invalid_value" } }, "upstream_rejected", "Bad n"],
    [400, { code: "Bad request", error: "Unknown model x" }, "upstream_rejected", "Unknown model x"],
    [401, { detail: "Invalid API Key" }, "upstream_auth"],
    [
      422,
      { detail: [{ loc: ["body", "seed"], msg: "Extra inputs" }] },
      "upstream_rejected",
      "body.seed: Extra inputs",
    ],
    [
      400,
      {
        errors: [
          { loc: ["body", "messages", 1, "role"], msg: "Input should be 'user'", type: "literal_error" },
        ],
      },
      "upstream_rejected",
      "body.messages.1.role: Input should be 'user'",
    ],
    [400, { object: "error", message: { detail: [{ msg: "No" }] }, code: "1500" }, "upstream_rejected", "No"],
    [400, { type: "about:blank", title: "Bad", detail: "Too many" }, "upstream_rejected", "Too many"],
    [
      400,
      { error: { code: 400, message: "n_ctx", type: "exceed_context_size_error" } },
      "context_length_exceeded",
    ],
    [
      400,
      { error: { message: "Provider returned error", code: 400, metadata: { raw: quoted } } },
      "context_length_exceeded",
      "Too long",
    ],
    [400, [{ error: { message: "Odd", status: "INVALID_ARGUMENT" } }], "upstream_rejected", "Odd"],
    [400, { error: { code: "data_inspection_failed", message: "No" } }, "content_filter"],
    [403, { error: { message: "Your input was flagged", code: 403 } }, "content_filter"],
    [400, { code: "1500", type: "invalid_model", message: "Invalid model: x" }, "model_not_found"],
    [429, { error: { type: "exceeded_current_quota_error", message: "suspended" } }, "upstream_auth"],
    [413, { error: { code: "rate_limit_exceeded", message: "TPM" } }, "provider_busy"],
    [503, { error: { message: "Busy" } }, "upstream_error"],
    [502, "<html>Bad gateway</html>", "upstream_error"],
    [400, "<html>secret host</html>", "upstream_rejected", "The provider rejected the request."],
    [400, "no such thing", "upstream_rejected", "no such thing"],
    [500, "", "upstream_error"],
  ];
  for (const [status, body, code, message] of BODIES) {
    test(`${status} ${JSON.stringify(body).slice(0, 60)}`, () => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const fault = server.explain(status, new Headers({ "retry-after": "7" }), text, 0);
      expect<string>(fault.code).toBe(code);
      if (message !== undefined) expect(fault.message).toBe(message);
      expect(fault.details).toMatchObject({
        retryAfterMs: 7000,
        upstreamStatus: status === 413 ? 429 : status,
      });
    });
  }
});

/** OpenRouter's balance is too small for this limit alone. */
const TOO_DEAR = {
  error: {
    code: 402,
    message:
      "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 2000.",
  },
};

const AT: readonly (readonly [string, number, unknown, string])[] = [
  ["xAI", 400, { code: "Client error", error: "Incorrect API key provided: xa***." }, "upstream_auth"],
  [
    "xAI",
    429,
    { error: "Your team 16f2-a has either used all available credits or reached its limit." },
    "upstream_auth",
  ],
  ["xAI", 429, { error: "Your team 16f2-a has reached its rate limit." }, "provider_busy"],
  ["xAI", 400, { code: "invalid-argument", error: "Model not found: grok-x" }, "model_not_found"],
  ["OpenRouter", 400, { error: { code: 400, message: "a/b is not a valid model ID" } }, "model_not_found"],
  [
    "DeepSeek",
    400,
    { error: { message: "The supported API model names are a or b, but you passed c" } },
    "model_not_found",
  ],
  [
    "Local",
    400,
    { error: { type: "too_many_prompt_tokens", message: "Too long", code: 400 } },
    "context_length_exceeded",
  ],
  ["xAI", 403, { error: "Content violates usage guidelines. Team: x" }, "content_filter"],
  ["ZAI", 429, { error: { code: "1113", message: "Insufficient balance" } }, "upstream_auth"],
  ["ZAI", 429, { error: { code: "1302", message: "Rate limit" } }, "provider_busy"],
  ["Qwen", 400, { error: { code: "Arrearage", message: "Access denied" } }, "upstream_auth"],
  ["Groq", 400, { error: { code: "blocked_api_access", message: "Blocked" } }, "upstream_auth"],
  ["Groq", 400, { error: { code: "organization_restricted", message: "Restricted" } }, "upstream_auth"],
  [
    "Local",
    400,
    { error: { type: "budget_exceeded", code: "400", message: "Budget has been exceeded!" } },
    "upstream_auth",
  ],
  [
    "Local",
    429,
    { error: { type: "budget_exceeded", code: "429", message: "Budget has been exceeded!" } },
    "upstream_auth",
  ],
  [
    "Local",
    400,
    { error: { type: "budget_exceeded", code: "400", message: "ExceededBudget: End User=x over budget." } },
    "upstream_rejected",
  ],
  [
    "OpenRouter",
    402,
    { error: { code: 402, message: "Prompt tokens limit exceeded: 9 > 8." } },
    "request_too_large",
  ],
  ["OpenRouter", 402, { error: { code: 402, message: "Insufficient credits" } }, "upstream_auth"],
  ["OpenRouter", 402, TOO_DEAR, "upstream_rejected"],
  ["Local", 402, TOO_DEAR, "upstream_rejected"],
  [
    "OpenRouter",
    429,
    {
      error: {
        message: "Provider returned error",
        code: 429,
        metadata: {
          raw: JSON.stringify({ error: { message: "suspended", type: "exceeded_current_quota_error" } }),
        },
      },
    },
    "provider_busy",
  ],
];
test.each(AT)("%s says %d %p", (provider, status, body, code) => {
  const fault = findProviderDialect(provider).explain(status, new Headers(), JSON.stringify(body), 0);
  expect<string>(fault.code).toBe(code);
});

test("invalid replies", () => {
  const error = { error: { code: 502, message: "Provider returned error" } };
  const failed = {
    choices: [{ message: { content: "" }, finish_reason: "error", error: { code: 429, message: "Slow" } }],
  };
  expect(catchCode(() => whole(server, error))).toBe("upstream_error");
  expect(catchCode(() => whole(server, failed))).toBe("provider_busy");
  for (const body of [undefined, "x", {}, { choices: [] }]) {
    expect(catchCode(() => whole(server, body))).toBe("upstream_error");
  }
});

describe("errors inside an answer that has no status of its own", () => {
  const ERRORS: readonly (readonly [string, object, string])[] = [
    ["Qwen", { code: "data_inspection_failed", type: "data_inspection_failed" }, "content_filter"],
    ["Local", { code: "content_filter", type: null, param: "prompt" }, "content_filter"],
    ["Local", { code: "moderation_blocked", type: "image_generation_user_error" }, "content_filter"],
    ["ZAI", { code: "1301" }, "content_filter"],
    ["ZAI", { code: "1113" }, "upstream_auth"],
    ["Qwen", { code: "Arrearage" }, "upstream_auth"],
    ["Local", { code: "too_many_prompt_tokens" }, "context_length_exceeded"],
    ["Local", { type: "exceed_context_size_error" }, "context_length_exceeded"],
    ["Local", { message: "This model's maximum context length is 4096 tokens." }, "context_length_exceeded"],
    ["Local", { message: 'The tool said "maximum context length".' }, "upstream_error"],
    ["Local", { code: "invalid_value" }, "upstream_rejected"],
    ["Qwen", { code: "InvalidParameter", type: "invalid_request_error" }, "upstream_rejected"],
    ["Local", { type: "BadRequestError" }, "upstream_rejected"],
    ["xAI", { code: "invalid-argument" }, "upstream_rejected"],
    ["xAI", { code: "Client specified an invalid argument" }, "upstream_rejected"],
    ["Local", { type: "InternalServerError" }, "upstream_error"],
    ["Local", { code: "server_error", type: "image_generation_server_error" }, "upstream_error"],
    ["Local", { message: "It broke." }, "upstream_error"],
    ["Local", { type: "overloaded_error" }, "provider_busy"],
    ["Local", { code: "slow_down", type: "server_error" }, "provider_busy"],
    ["Local", { code: "server_is_overloaded", type: "server_error" }, "provider_busy"],
  ];
  test.each(ERRORS)("%s: %p", (provider, given, code) => {
    const body = { error: { message: "No.", ...given } };
    const at = findProviderDialect(provider);
    expect(catchCode(() => whole(at, body))).toBe(code);
    expect(catchCode(() => streamed(at, writeStream([body])))).toBe(code);
    const begun = { choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] };
    expect(catchCode(() => streamed(at, writeStream([begun, body])))).toBe(code);
  });
});

test("a balance that is too small for the limit names the limit", () => {
  const { details, row } = upstreamFault({ status: 402, message: TOO_DEAR.error.message });
  expect([row.status, details.param]).toEqual([400, "max_tokens"]);
});

test("an event named error", () => {
  const said = (finish: string | null) =>
    writeStream([{ choices: [{ delta: { content: "x" }, finish_reason: finish }] }]);
  const event = `event: error\ndata: {"error":{"message":"No tool was called","status_code":400}}\n\n`;
  expect(catchCode(() => streamed(server, said(null) + event))).toBe("upstream_rejected");
  const bare = 'event: error\ndata: {"message":"It broke"}\n\n';
  expect(catchCode(() => streamed(server, said("stop") + bare))).toBe("upstream_error");
});
