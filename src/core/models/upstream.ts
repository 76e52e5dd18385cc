// The meaning of upstream errors by status and code. Every dialect's `explain` ends here.

import { cleanWords, SECRET_WORDS, type UpstreamReport } from "../faults/failure.ts";
import { Fault, type FaultCode } from "../faults/fault.ts";
import type { FaultDetails } from "../faults/fault-details.ts";
import { malformed } from "../faults/malformed.ts";
import type { ModelCard } from "./card.ts";
import { readFieldRefusals } from "./words/field-refusal.ts";
import { namesOtherThing, saysGone } from "./words/gone.ts";
import { OVERFLOW_WORDS } from "./words/overflow.ts";
import { isOversize } from "./words/oversize.ts";
import { readRefusals } from "./words/refusal.ts";

/** An error's own words. */
export interface ErrorWords {
  readonly message?: string | undefined;
  /** The error's code, type and so on, most specific first. */
  readonly codes?: readonly string[];
}

/** The facts that a dialect reads from its provider's error body. */
interface UpstreamError extends ErrorWords {
  readonly status: number;
  /** The offending request field, such as `messages[0].content`. */
  readonly param?: string | undefined;
  /** From `Retry-After` or the body, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Set if a field of the body is more specific than the status. */
  readonly means?: FaultCode | undefined;
  /** This provider's errors with a misleading status. */
  readonly rules?: readonly ErrorRule[];
}

/**
 * A provider's error with a misleading status, recognized by its exact code or type, or by how its message begins.
 * Messages may quote the client, so rules can't search them for words.
 */
export type ErrorRule = { readonly status: number; readonly means: FaultCode } & (
  | { readonly code: string }
  /** The beginning of the message. `*` matches one word without quotes. */
  | { readonly begins: string }
);

/** Codes that mean the same at every provider and say more than the status. */
const MEANING_OF_CODE: ReadonlyMap<string, FaultCode> = new Map<string, FaultCode>([
  ["invalid_api_key", "upstream_auth"],
  ["authentication_error", "upstream_auth"],
  ["insufficient_quota", "upstream_auth"],
  ["billing_not_active", "upstream_auth"],
  ["billing_hard_limit_reached", "upstream_auth"],
  // The same at Moonshot, Anthropic and DashScope.
  ["exceeded_current_quota_error", "upstream_auth"],
  ["enforced_spend_limit_reached", "upstream_auth"],
  ["Arrearage", "upstream_auth"],
  // Groq, "Spend limits" and "Error codes": a spend limit that is reached, an organization that is closed.
  ["blocked_api_access", "upstream_auth"],
  ["organization_restricted", "upstream_auth"],
  // LiteLLM 1.110.2: of the key, its team or its owner.
  ["budget_exceeded", "upstream_auth"],
  // Mistral and Perplexity answer an unknown model with 400.
  ["invalid_model", "model_not_found"],
  ["model_not_found", "model_not_found"],
  ["context_length_exceeded", "context_length_exceeded"],
  ["exceed_context_size_error", "context_length_exceeded"],
  ["too_many_prompt_tokens", "context_length_exceeded"],
  ["content_filter", "content_filter"],
  ["content_policy_violation", "content_filter"],
  ["data_inspection_failed", "content_filter"],
  ["moderation_blocked", "content_filter"],
  // OpenAI's checks of a prompt (openai 7.59; @openrouter/sdk 1.3.19 has cyber_policy).
  ["bio_policy", "content_filter"],
  ["cyber_policy", "content_filter"],
  ["misalignment_policy_violation", "content_filter"],
]);

/** Returns the meaning of a code that says the same at every provider, if it does. */
export function readMeaning(code: string): FaultCode | undefined {
  return MEANING_OF_CODE.get(code);
}

/** LiteLLM has the same code for a budget of the request's own `user`, who mustn't end the gateway's credential. */
const BUDGET_OF_USER = /^ExceededBudget: End User=/;

/** Only for these statuses may a code say more. The others mean what they say. */
const VAGUE_STATUSES: ReadonlySet<number> = new Set([400, 422, 429]);

/**
 * Faults that lead to a 400 for this client and affect nothing else. Messages are searched only for these, outside
 * quotes, since every server words them differently. A client that triggers one by quoting merely mislabels its own
 * error.
 */
type Harmless = "context_length_exceeded" | "content_filter";
const FILTER_WORDS =
  /content[ _-]?(filter|policy|management)|responsible ?ai|data_?inspection_?failed|blocked by (a |the )?guardrail|input was flagged|violates usage guidelines|sensitive content|high[ _]risk/i;
/** Single quotes only count around words, because of apostrophes. */
const QUOTED = /"[^"]*"|`[^`]*`|“[^”]*”|(?<=^|[\s(:=[])'[^']*'(?=$|[\s).,:;\]])/g;

const MESSAGE_CHARACTERS_MAX = 2000;

/** URLs, and hosts with a port. */
const ADDRESS_WORDS = /https?:\/\/\S+|\b[\w-]+(\.[\w-]+)+:\d{2,5}\b/g;
const PRIVATE_ADDRESSES = /\b((10|127)\.\d{1,3}|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d{1,3}){2}\b/g;
/** The operator's own account, which OpenAI and Groq name in their words on limits. */
const ORGANIZATION_WORDS = /\borg[-_][A-Za-z0-9]{6,}/g;
const CODE_SHAPE = /^[\w.-]{1,64}$/;
const PARAM_SHAPE = /^[\w.[\]-]{1,128}$/;

/** Returns the provider's own words on a rejected request, without anything like a secret or an address. */
function redactMessage(message: string | undefined): string {
  const text = (message ?? "").slice(0, MESSAGE_CHARACTERS_MAX).trim();
  if (text === "") return "The provider rejected the request.";
  return text
    .replace(SECRET_WORDS, "[redacted]")
    .replace(ORGANIZATION_WORDS, "[redacted]")
    .replace(ADDRESS_WORDS, "[address]")
    .replace(PRIVATE_ADDRESSES, "[address]");
}

/** A code is a single word. Anything else is ignored. */
function checkCode(code: string | undefined): string | null {
  return code !== undefined && CODE_SHAPE.test(code) ? code : null;
}

/** A field path. Providers may quote the client or themselves here too. */
function checkParam(error: UpstreamError): string | null {
  const { status, param } = error;
  if (dependsOnLimit(error)) return "max_tokens";
  if (param === undefined || !isRejection(status)) return null;
  return PARAM_SHAPE.test(param) && redactMessage(param) === param ? param : null;
}

/**
 * True if a balance is too small for the request's limit, and still pays for a smaller one: OpenRouter's "This request
 * requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 2000.", November 2026.
 */
function dependsOnLimit({ status, message = "" }: UpstreamError): boolean {
  return (
    status === PAYMENT &&
    /\b(fewer|lower|reduce|smaller)\b[^.]*\bmax_(completion_|output_)?tokens\b/i.test(message)
  );
}

const PAYMENT = 402;

/** The meaning of a status that is clear, whatever code the provider sends with it. */
function readClearStatus(status: number): FaultCode | undefined {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return "upstream_auth";
    case 404:
      return "model_not_found";
    case 408:
    case 504:
      return "upstream_timeout";
    case 413:
      return "request_too_large";
    default:
      return undefined;
  }
}

const REJECTED = 400;

/** True if the provider understood the request and refused it. */
function isRejection(status: number): boolean {
  return status === REJECTED || status === 422;
}

function isBusy(status: number): boolean {
  return status === 429 || status === 498 || status === 529;
}

/** Returns what the provider's own rules make of it, or its words on the limit of a request. */
function findRuled(error: UpstreamError): FaultCode | undefined {
  const ruled = error.means ?? error.rules?.find((rule) => matchesRule(error, rule))?.means;
  return ruled ?? (dependsOnLimit(error) ? "upstream_rejected" : undefined);
}

function findCode(error: UpstreamError): FaultCode {
  const { status } = error;
  const ruled = findRuled(error);
  if (ruled !== undefined) return ruled;
  // Later, the same request is refused in the same way, whatever the status says.
  if (isTooLarge(error)) return "context_length_exceeded";
  const coded = findCoded(error);
  if (saysGone(error)) return "model_not_found";
  if (namesOtherThing(error)) return "not_found";
  // At OpenRouter and xAI a blocked prompt is a 403, which says nothing about the credential.
  if (status === 403 && FILTER_WORDS.test(searchable(error))) return "content_filter";
  // Text Embeddings Inference (issue 82) says that a text is too long with 413, which elsewhere is about bytes.
  if (status === 413 && OVERFLOW_WORDS.test(searchable(error))) return "context_length_exceeded";
  const clear = readClearStatus(status);
  if (clear !== undefined) return clear;
  if (coded !== undefined && VAGUE_STATUSES.has(status)) return coded;
  if (isBusy(status)) return "provider_busy";
  return isRejection(status) ? (searched(error) ?? "upstream_rejected") : "upstream_error";
}

/** Returns the meaning of the first code that has one. A budget of the request's own user is the client's matter. */
function findCoded({ message = "", codes = [] }: UpstreamError): FaultCode | undefined {
  if (BUDGET_OF_USER.test(message)) return undefined;
  return codes.flatMap((code) => MEANING_OF_CODE.get(code) ?? [])[0];
}

/** True if a rule is about this error. */
export function matchesRule({ status, message = "", codes = [] }: UpstreamError, rule: ErrorRule): boolean {
  if (rule.status !== status) return false;
  return "code" in rule ? codes.includes(rule.code) : beginsWith(message, rule.begins);
}

function beginsWith(message: string, words: string): boolean {
  const parts = words.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\s\"'`]+")}`).test(message);
}

/** The codes, and the parts of the message outside quotes. */
function searchable({ message = "", codes = [] }: ErrorWords): string {
  return `${codes.join(" ")} ${message.slice(0, MESSAGE_CHARACTERS_MAX).replace(QUOTED, "")}`;
}

/** True if an error without a known code says that the request was too long, or was filtered. */
export function isRefusal(error: ErrorWords): boolean {
  return searched(error) !== undefined || isOversize(REJECTED, searchable(error));
}

function isTooLarge(error: UpstreamError): boolean {
  return isOversize(error.status, searchable(error));
}

function searched(error: ErrorWords): Harmless | undefined {
  const words = searchable(error);
  if (OVERFLOW_WORDS.test(words)) return "context_length_exceeded";
  return FILTER_WORDS.test(words) ? "content_filter" : undefined;
}

/** The messages below, and those of the transport, begin with it. */
const SUBJECT = "The provider";

const GENERIC: Partial<Record<FaultCode, string>> = {
  upstream_auth: "The provider refused the gateway's key, or its quota is used up.",
  upstream_timeout: "The provider did not answer in time.",
  upstream_error: "The provider failed to answer.",
  provider_busy: "The provider is overloaded or limiting requests. Please try again shortly.",
};

/** Returns the fault of an upstream error. Keeps the provider's message only if the request was at fault. */
export function upstreamFault(error: UpstreamError): Fault {
  const ordered = readStated(error);
  // A template that refuses the order of the roles, or a call's arguments, is no failing server, even if its status says so.
  const code = ordered.length > 0 ? "upstream_rejected" : findCode(error);
  const refuses = ordered.length > 0 || code !== "upstream_rejected" ? ordered : readFields(error);
  const isBeyondMinute = isTooLarge(error);
  const details: FaultDetails = {
    upstreamStatus: error.status,
    ...(error.retryAfterMs === undefined || isBeyondMinute ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(isBeyondMinute ? { beyondMinute: true as const } : {}),
    ...(code === "upstream_rejected" ? { shownCode: checkCode(error.codes?.[0]) } : {}),
    ...(GENERIC[code] === undefined ? { param: checkParam(error) } : {}),
    ...(refuses.length > 0 ? { refuses } : {}),
    ...(code === "model_not_found" ? { gone: saysGone(error) ? "said" : "unexplained" } : {}),
    upstream: report(error),
  };
  return new Fault(code, GENERIC[code] ?? redactMessage(error.message), details);
}

/** Reads the sentences that count whatever the status says. */
function readStated(error: UpstreamError) {
  if (error.message === undefined) return [];
  const ordered = readRefusals(error.status, error.message);
  return ordered.length > 0 || error.status < 500 ? ordered : readFields(error);
}

function readFields({ status, message = "", param }: UpstreamError) {
  return readFieldRefusals(status, message.slice(0, MESSAGE_CHARACTERS_MAX), param);
}

function report({ codes = [], message = "" }: UpstreamError): UpstreamReport {
  const code = codes.find((one) => checkCode(one) !== null);
  const words = cleanWords(message);
  return { ...(code === undefined ? {} : { code }), ...(words === "" ? {} : { message: words }) };
}

/** Puts the provider's name into a message of ours about its failure. Its own messages stay. */
export function nameProvider(fault: Fault, provider: string): Fault {
  if (fault.row.blame === "client" || !fault.message.startsWith(SUBJECT)) return fault;
  return new Fault(fault.code, provider + fault.message.slice(SUBJECT.length), fault.details);
}

/**
 * Returns a failure of the card's provider in our words: with the provider's name, and with the end of a model that it no
 * longer has.
 */
export function nameFailure(fault: Fault, card: ModelCard): Fault {
  const { gone } = fault.details;
  return gone !== undefined && card.ending === "over"
    ? describeEnd(fault, card)
    : nameProvider(fault, card.provider);
}

function describeEnd({ details }: Fault, { id, shutdownDate, successor }: ModelCard): Fault {
  const hint = successor === undefined ? "" : ` Did you mean '${successor}'?`;
  const message = `The model '${id}' has ended: its last day was ${shutdownDate}.${hint}`;
  return new Fault("model_ended", message, { ...details, param: "model" });
}

/**
 * The model gave its answer up, and the provider says so in a complete answer. The same prompt may lead to the same end
 * each time, so one client could have the model paused for all if this counted against its health.
 */
export function gaveUp(reason: string, message = ""): Fault {
  // The API's own word says what to change, such as a tool's schema. Anything else may quote the answer.
  const word = /^\w{1,40}$/.test(reason) ? ` (${reason})` : "";
  return new Fault("upstream_error", `The provider could not finish its answer${word}.`, {
    upstreamStatus: 200,
    provoked: true,
    cause: `${reason} ${message}`.trim(),
  });
}

/** Calls the reader of an answer. Throws Faults alone. */
export function catchUnreadable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw toUnreadable(thrown);
  }
}

/** An answer that makes its reader throw is not of the dialect. */
export function toUnreadable(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : malformed(`unreadable: ${String(thrown)}`);
}

/** Reads `Retry-After` (seconds or a date) or `retry-after-ms` of an error, in milliseconds. */
export function readRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  const header = headers.get("retry-after");
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
