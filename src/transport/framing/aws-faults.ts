// Maps errors of Amazon's services to Faults, by the type in a header, body or frame, or else by status.
import type { Fault, FaultCode } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { type ErrorRule, readRetryAfterMs, upstreamFault } from "../../core/models/upstream.ts";

interface FaultMeaning {
  /** The HTTP status (Amazon Bedrock API reference, "Common errors" and each operation's). */
  readonly status: number;
  /** Missing if the status decides. */
  readonly means?: FaultCode;
}

/** By the type in lower case: frames write `throttlingException`, headers `ThrottlingException`. */
const MEANING_OF_TYPE: ReadonlyMap<string, FaultMeaning> = new Map<string, FaultMeaning>([
  ["validationexception", { status: 400 }],
  ["accessdeniedexception", { status: 403 }],
  ["unrecognizedclientexception", { status: 403, means: "upstream_auth" }],
  ["expiredtokenexception", { status: 403, means: "upstream_auth" }],
  ["invalidsignatureexception", { status: 403, means: "upstream_auth" }],
  ["missingauthenticationtokenexception", { status: 403, means: "upstream_auth" }],
  ["incompletesignatureexception", { status: 400, means: "upstream_auth" }],
  ["resourcenotfoundexception", { status: 404 }],
  ["modeltimeoutexception", { status: 408 }],
  ["modelerrorexception", { status: 424 }],
  ["modelstreamerrorexception", { status: 424 }],
  ["throttlingexception", { status: 429, means: "provider_busy" }],
  ["modelnotreadyexception", { status: 429, means: "provider_busy" }],
  ["servicequotaexceededexception", { status: 400, means: "provider_busy" }],
  ["internalserverexception", { status: 500 }],
  ["serviceunavailableexception", { status: 503 }],
]);

/** Failures that only their message distinguishes, all with status 400. */
const RULES: readonly ErrorRule[] = [
  { status: 400, begins: "The provided model identifier is invalid", means: "model_not_found" },
  // The newest models can only be called by an inference profile's name.
  { status: 400, begins: "Invocation of model ID * with on-demand throughput", means: "model_not_found" },
  { status: 400, begins: "Input is too long for requested model", means: "context_length_exceeded" },
  {
    status: 400,
    begins: "The model returned the following errors: Input Tokens Exceeded",
    means: "context_length_exceeded",
  },
];

/** Returns the fault of an error answer. Its type may be in a header, in the body, or missing. */
export function explainAmazon(status: number, headers: Headers, body: string, nowMs: number): Fault {
  const said = asObject(parseReceived(body));
  const type = readType(headers.get("x-amzn-errortype")) ?? findType(said);
  return makeFault(status, type, findMessage(said) ?? "", readRetryAfterMs(headers, nowMs));
}

/** Returns the fault of an exception frame. An unknown type counts as a failure of the service. */
export function explainException(type: string, payload: string): Fault {
  const body = parseReceived(payload);
  const message = isObject(body) ? findMessage(body) : payload;
  const { status = 500 } = findMeaning(type) ?? {};
  return makeFault(status, type, message ?? "", undefined);
}

function makeFault(
  status: number,
  type: string | undefined,
  message: string,
  retryAfterMs: number | undefined,
): Fault {
  const means = type === undefined ? undefined : findMeaning(type)?.means;
  const codes = type === undefined ? [] : [type];
  return upstreamFault({ status, message, rules: RULES, codes, means, retryAfterMs });
}

function findMeaning(type: string): FaultMeaning | undefined {
  return MEANING_OF_TYPE.get(type.toLowerCase());
}

/**
 * Accepts both `ValidationException:http://internal.amazon.com/…` and `com.amazon.coral.service#ValidationException`.
 */
function readType(value: unknown): string | undefined {
  const named = asString(value)?.split(":")[0]?.split("#").at(-1)?.trim();
  return named === "" ? undefined : named;
}

function findType(said: JsonObject): string | undefined {
  return readType(said.__type ?? asObject(said.Output).__type);
}

function findMessage(said: JsonObject): string | undefined {
  return asString(said.message) ?? asString(said.Message);
}
