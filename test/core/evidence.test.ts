// Whom a failure speaks about: every code of the table with every status of the recorded faults.
import { expect, test } from "bun:test";
import { FAULTS, Fault, type FaultCode } from "../../src/core/faults/fault.ts";
import type { FaultDetails } from "../../src/core/faults/fault-details.ts";
import { type Evidence, findEvidence } from "../../src/core/health/evidence.ts";
import { asString } from "../../src/core/json/json.ts";
import { HAS_OUTSIDE, readTraffic } from "../recorded/load.ts";
import { makeSubject } from "../recorded/pipeline.ts";

const STATUSES = [undefined, 200, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529];

function judge(code: FaultCode, details: FaultDetails = {}): Evidence {
  return findEvidence(new Fault(code, "no", details));
}

const auth = (upstreamStatus: number, message: string, code?: string) =>
  judge("upstream_auth", { upstreamStatus, upstream: { message, code } });

/** The verdicts that differ from the row's. All faults of a provider speak of one payer, all others of nothing. */
const SHARED: Partial<Record<FaultCode, readonly (number | undefined)[]>> = {
  // Without a status of its own, the provider's words led to it: as with 400 and 429.
  upstream_auth: STATUSES.filter((status) => status !== 401 && status !== 403),
  provider_busy: [429],
};

test("every code has one verdict with every status, and only words or a limit make it everybody's", () => {
  for (const code of Object.keys(FAULTS).filter((name): name is FaultCode => name in FAULTS)) {
    const isTheirs = new Fault(code, "no").row.blame === "provider";
    for (const upstreamStatus of STATUSES) {
      const expected = SHARED[code]?.includes(upstreamStatus) ? "shared" : isTheirs ? "caller" : "none";
      const details = upstreamStatus === undefined ? {} : { upstreamStatus };
      expect([code, upstreamStatus, judge(code, details)]).toEqual([code, upstreamStatus, expected]);
      expect(judge(code, { ...details, unsent: true })).toBe("shared");
      expect(judge(code, { ...details, gone: "said" })).toBe("shared");
      expect(judge(code, { ...details, stale: true })).toBe("none");
      expect(judge(code, { ...details, provoked: true })).toBe("none");
    }
  }
});

test("a 429 of a gateway that counts an end user says nothing about the credential", () => {
  const message = "Crossed TPM / RPM / Max Parallel Request Limit for end user bob";
  const busy = (upstream: { message: string }) => judge("provider_busy", { upstreamStatus: 429, upstream });
  expect([busy({ message }), busy({ message: "Crossed the limit for this key" })]).toEqual([
    "none",
    "shared",
  ]);
});

test("a 401 or 403 is everybody's if its words name the key, and only then", () => {
  for (const status of [401, 403]) {
    for (const [words, code] of [
      ["Incorrect API key provided: sk-***", "invalid_api_key"],
      ["invalid x-api-key", "authentication_error"],
      ["Access denied due to invalid subscription key or wrong API endpoint."],
      ["Billing is not active", "billing_not_active"],
    ] as const)
      expect([words, auth(status, words, code)]).toEqual([words, "shared"]);
    for (const words of [
      "",
      "Forbidden",
      "Request blocked by security policy",
      "The prompt contains an API key",
      "Blocked: 'api key' was detected",
      'Denied "my api key is 1234"',
    ])
      expect([words, auth(status, words)]).toEqual([words, "caller"]);
    for (const words of [
      "You have insufficient permissions for this operation. Missing scopes: model.request. Check that … a restricted API key …",
      "This key doesn't have permission for it",
    ])
      expect([words, auth(status, words, "invalid_api_key")]).toEqual([words, "none"]);
  }
});

/** The recorded errors of real providers that speak of more than their request. */
const OUTSIDE = [
  "anthropic 401 upstream_auth: shared: invalid x-api-key",
  "anthropic 404 model_not_found: shared: model: there-is-no-such-",
  "azure 401 upstream_auth: shared: Access denied due to inv",
  "azure 404 model_not_found: shared: The API deployment for t",
  "bedrock 400 model_not_found: shared: The provided model ident",
  "deepseek 401 upstream_auth: shared: Authentication Fails, Yo",
  "gemini 400 upstream_auth: shared: API key not valid. Pleas",
  "gemini 403 upstream_auth: shared: Method doesn't allow unr",
  "gemini 404 model_not_found: shared: models/custom-gemini-2.0",
  "gemini 404 model_not_found: shared: models/gemini-1.5-flash ",
  "gemini 404 model_not_found: shared: models/gemini-3.6-flahs ",
  "gemini 404 model_not_found: shared: models/gemini-nonexisten",
  "gemini 429 provider_busy: shared: You exceeded your curren",
  "groq 404 model_not_found: shared: The model `llama-3.3-70b",
  "groq 404 model_not_found: shared: The model `non-existent`",
  "llamacpp 401 upstream_auth: shared: Invalid API Key",
  "llamacpp 500 upstream_error: caller: Cannot use tools with st",
  "llamacpp 500 upstream_error: caller: image input is not suppo",
  "llamacpp 500 upstream_error: caller: tools param requires --j",
  "mistral 401 upstream_auth: shared: Invalid API Key",
  "ollama 401 upstream_auth: caller: Unauthorized",
  "openai 401 upstream_auth: shared: Incorrect API key provid",
  "openai 404 model_not_found: shared: The model `gpt-5.2-proo`",
  "openai 404 model_not_found: shared: The model `non-existent-",
  "openai 404 model_not_found: shared: The model `this-model-do",
  "openrouter 401 upstream_auth: caller: Missing Authentication h",
  "openrouter 429 provider_busy: shared: google/gemini-2.0-flash-",
  "perplexity 401 upstream_auth: shared: Invalid API key provided",
  "perplexity 403 upstream_auth: caller: Sonar is now the Agent A",
  "together 401 upstream_auth: shared: Invalid API key provided",
  "vertexai 401 upstream_auth: shared: API keys are not support",
];

/** The same of the project's own exchanges. */
const OWN = [
  "anthropic 401 upstream_auth: shared: invalid x-api-key",
  "bedrock 400 model_not_found: shared: The provided model ident",
  "bedrock 429 provider_busy: shared: Too many requests, pleas",
  "bedrock 429 provider_busy: shared: Too many tokens, please ",
  "cohere 401 upstream_auth: caller: invalid api token",
  "gemini 400 upstream_auth: shared: API key not valid. Pleas",
  "gemini 429 provider_busy: shared: You exceeded your curren",
  "mistral 401 upstream_auth: shared: Invalid API Key",
  "openai 401 upstream_auth: shared: Incorrect API key provid",
  "openrouter 402 upstream_auth: shared: This account has no cred",
  "perplexity 401 upstream_auth: shared: The API key of this call",
  "vertexai 401 upstream_auth: shared: API keys are not support",
];

test("every recorded error has the verdict that its status and words say", () => {
  const seen = new Set<string>();
  for (const { recording, dialect } of readTraffic().recordings.map(makeSubject)) {
    const { status, headers, body, file } = recording;
    if (status < 400) continue;
    const fault = dialect.explain(status, headers, body, 0);
    const words = asString(fault.details.upstream?.message) ?? "";
    seen.add(`${file} ${status} ${fault.code}: ${findEvidence(fault)}: ${words.slice(0, 24)}`);
  }
  const shown = [...seen].filter((line) => !line.includes(": none:"));
  expect(shown.toSorted()).toEqual(HAS_OUTSIDE ? OUTSIDE : OWN);
});
