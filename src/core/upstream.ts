// What an upstream's error answer means, by status: the one mapping that every dialect's `explain` ends in.
import { Fault, type FaultCode, type FaultDetails } from "./fault.ts";

/** What a dialect reads off its provider's error body. */
export interface UpstreamError {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  /** The field of the request at fault, as `messages[0].content`. */
  readonly param?: string;
  /** From `Retry-After` or the body, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The dialect knows better than the status: its own words say what this is. */
  readonly means?: FaultCode;
}

const MESSAGE_CHARACTERS_MAX = 2000;
const CONTEXT_WORDS =
  /context[ _-]?(length|window|size)|maximum context|too many (input )?tokens|prompt is too long|exceeds? the (maximum )?(number of )?tokens|input token count/i;
const FILTER_WORDS = /content[ _-]?(filter|policy|management)|responsible ai/i;
const QUOTA_WORDS =
  /insufficient[ _]quota|enforced_spend_limit|billing|exceeded your current quota|credit balance/i;
const SECRET_WORDS = /\b(sk|pk|gsk|xai|AIza|pplx|nvapi|fw|csk|Bearer )[-_A-Za-z0-9*.]{8,}/g;

/** URLs, and hosts with a port. */
const ADDRESS_WORDS = /https?:\/\/\S+|\b[\w-]+(\.[\w-]+)+:\d{2,5}\b/g;
const CODE_SHAPE = /^[\w.-]{1,64}$/;
const PARAM_SHAPE = /^[\w.[\]-]{1,128}$/;

/** Messages that may be shown: the provider's own words on a rejected request, without anything like a secret or an address. */
function shown(message: string | undefined): string {
  const text = (message ?? "").slice(0, MESSAGE_CHARACTERS_MAX).trim();
  if (text === "") return "The provider rejected the request.";
  return text.replace(SECRET_WORDS, "[redacted]").replace(ADDRESS_WORDS, "[address]");
}

/** A code is a word; anything else in its place is none. */
function shownCode(code: string | undefined): string | null {
  return code !== undefined && CODE_SHAPE.test(code) ? code : null;
}

/** A path of fields; a provider may quote the client or itself there too. */
function shownParam({ status, param }: UpstreamError): string | null {
  if (param === undefined || (status !== 400 && status !== 422)) return null;
  return PARAM_SHAPE.test(param) && shown(param) === param ? param : null;
}

function codeOf(error: UpstreamError): FaultCode {
  const { status } = error;
  const words = `${error.code ?? ""} ${error.message ?? ""}`;
  if (error.means) return error.means;
  if (status === 403 && FILTER_WORDS.test(words)) return "content_filter";
  if (status === 401 || status === 402 || status === 403) return "upstream_auth";
  if (status === 404) return "model_not_found";
  if (status === 408 || status === 504) return "upstream_timeout";
  if (status === 413) return "request_too_large";
  if (status === 429 && QUOTA_WORDS.test(words)) return "upstream_auth";
  if (status === 429 || status === 498 || status === 529) return "provider_busy";
  if (status !== 400 && status !== 422) return "upstream_error";
  if (CONTEXT_WORDS.test(words)) return "context_length_exceeded";
  return FILTER_WORDS.test(words) ? "content_filter" : "upstream_rejected";
}

const GENERIC: Partial<Record<FaultCode, string>> = {
  upstream_auth: "The provider refused the gateway's own credential or quota.",
  upstream_timeout: "The provider did not answer in time.",
  upstream_error: "The provider failed to answer.",
  provider_busy: "The provider is refusing requests for load. Please try again shortly.",
};

/** The fault for an upstream's error answer. The provider's message is kept where the request was at fault, and only there. */
export function upstreamFault(error: UpstreamError): Fault {
  const code = codeOf(error);
  const details: FaultDetails = {
    upstreamStatus: error.status,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(code === "upstream_rejected" ? { shownCode: shownCode(error.code) } : {}),
    ...(GENERIC[code] === undefined ? { param: shownParam(error) } : {}),
  };
  return new Fault(code, GENERIC[code] ?? shown(error.message), details);
}

/** The upstream answered with something that is not its dialect, or stopped before its end. */
export function garbled(what: string): Fault {
  return new Fault("upstream_error", "The provider's answer was broken off or not readable.", {
    cause: what,
  });
}

/** `Retry-After` (seconds or a date) or `retry-after-ms`, in milliseconds; only error answers are asked. */
export function retryAfterMsOf(headers: Headers, nowMs: number): number | undefined {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  const given = headers.get("retry-after");
  if (given === null || given.trim() === "") return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
