// A client's words in a provider's message: whatever they are, they describe the request and not the provider.
import { describe, expect, test } from "bun:test";
import { PROVIDERS } from "../../src/providers/index.ts";

/** Providers' messages about their keys, balances and models. A client can have each of them quoted. */
const WORDS: readonly string[] = [
  "Incorrect API key provided",
  "Incorrect API key provided: sk-1. You can find your API key at https://x.ai.",
  "invalid api key",
  "API key not valid. Please pass a valid API key.",
  "api_key_invalid",
  "Insufficient balance or no resource package. Please recharge.",
  "Arrearage",
  "Your account is suspended",
  "Your team x has either used all available credits",
  "Your credit balance is too low to access the API",
  "You have reached your specified API usage limits",
  "This organization has been disabled",
  "You exceeded your current quota, insufficient_quota, please check your billing details",
  "Gemini API free tier is not available",
  "Your prepayment credits are depleted, limit: 0",
  "invalid_model: Invalid model",
  "model_not_found",
  "The model is overloaded",
  "rate_limit_exceeded",
];

const QUOTING: readonly ((words: string) => string)[] = [
  (words) => `Invalid value: '${words}'. Supported values are: 'low' and 'high'.`,
  (words) => `'${words}' does not match '^[a-zA-Z0-9_-]+$'`,
  (words) => `"${words}" is not of type 'object'`,
  (words) => `\`${words}\` is not a function`,
  (words) => `Missing '${words}'`,
  (words) => `Invalid schema for function ${words}: In context=('properties', '${words}')`,
  (words) => `messages.0.content: ${words}`,
];

/** The bodies in which servers send a message. */
const BODIES: readonly ((message: string) => unknown)[] = [
  (message) => ({ error: { message, type: "invalid_request_error", param: null, code: "invalid_value" } }),
  (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  (message) => ({ code: "Client error", error: message }),
  (message) => ({ object: "error", message, type: "invalid_request_error", code: "1400" }),
  (message) => ({ detail: [{ loc: ["body", message], msg: message }] }),
  (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
  (message) => ({ error: { message: "Provider returned error", code: 400, metadata: { raw: message } } }),
  (message) => message,
];

describe.each(PROVIDERS.flatMap(({ name, dialects }) => dialects.map((dialect) => [name, dialect] as const)))(
  "%s",
  (_name, dialect) => {
    test.each([400, 422])("a %d that quotes its client is the client's own fault", (status) => {
      const found = new Set<string>();
      for (const words of WORDS) {
        for (const quoting of QUOTING) {
          for (const body of BODIES) {
            const given = body(quoting(words));
            const text = typeof given === "string" ? given : JSON.stringify(given);
            const { code } = dialect.explain(status, new Headers(), text, 0);
            if (code !== "upstream_rejected") found.add(`${code}: ${text}`);
          }
        }
      }
      expect([...found]).toEqual([]);
    });

    test("a 429 that quotes its client is a rate limit, a 503 a failure", () => {
      for (const words of WORDS) {
        for (const quoting of QUOTING) {
          const body = JSON.stringify({ error: { message: quoting(words), code: "slow_down" } });
          expect(dialect.explain(429, new Headers(), body, 0).code).toBe("provider_busy");
          expect(dialect.explain(503, new Headers(), body, 0).code).toBe("upstream_error");
        }
      }
    });

    test("quoted words never make a prompt count as too long or blocked", () => {
      for (const words of ["maximum context length", "content filter", "prompt is too long"]) {
        for (const quoting of QUOTING.slice(0, 5)) {
          const body = JSON.stringify({ error: { message: quoting(words), code: "invalid_value" } });
          expect(dialect.explain(400, new Headers(), body, 0).code).toBe("upstream_rejected");
        }
      }
    });
  },
);
