// Poundkey's own headers: those that a request may send, and those that say how an answer was served.

import { Fault } from "../../core/faults/fault.ts";
import type { RequestLimits } from "../../core/limits/limit.ts";
import { COUNTED } from "../../core/limits/limit-table.ts";
import { describeActed } from "../../core/log/finding.ts";
import type { Family } from "../../core/models/dialect.ts";
import type { GuardFinding } from "../../core/models/guard.ts";
import { formatPlainUsd } from "../../core/money/money.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Facts, GrantedLimits } from "../../gateway/call.ts";
import { nameReplacement, toAscii } from "../../selectors/why.ts";
import { formatHeaderList, formatOpenaiDuration, type HeaderMap } from "./answers.ts";

/** Reads a number from one of our headers. Null if it isn't sent. */
export function headerNumber(headers: Headers, name: string, least: number, most: number): number | null {
  const given = headers.get(name);
  if (given === null) return null;
  const value = given.trim() === "" ? Number.NaN : Number(given);
  if (value >= least && value <= most) return value;
  const message = `Invalid header '${name}': expected a number from ${least} to ${most}.`;
  throw new Fault("invalid_value", message, { param: name });
}

/** Whom the headers are for. */
interface Reader {
  readonly family: Family;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The same moment on the monotonic clock. */
  readonly monotonicMs: number;
}

export function makeReader(
  clock: Pick<Clock, "nowMs" | "monotonicMs">,
  { family }: Pick<Reader, "family">,
): Reader {
  return { family, nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}

/** A budget or a ceiling may leave the choice out of the plan, and its provider may fail. */
function explainModel({ choice, why }: NonNullable<Facts["selector"]>, model: Facts["model"]): string {
  const isOther = model !== null && choice !== null && model !== choice;
  return isOther ? nameReplacement(why, model) : why;
}

/** `limits` are those to tell of, if the request wasn't admitted by them. Adds to `own`, if it is given. */
export function factHeaders(
  facts: Facts,
  reader: Reader,
  limits: GrantedLimits | null = facts.granted,
  own: HeaderMap = {},
): HeaderMap {
  const headers = limitHeaders(limits, reader, own);
  if (facts.model !== null) headers["x-poundkey-model"] = toAscii(facts.model);
  if (facts.attempts > 0) headers["x-poundkey-attempts"] = String(facts.attempts);
  if (facts.selector !== null) {
    headers["x-poundkey-selector"] = facts.selector.id;
    headers["x-poundkey-why"] = explainModel(facts.selector, facts.model);
  }
  if (facts.cached !== null) {
    headers["x-poundkey-cache"] = facts.cached.state;
    if (facts.cached.ageMs !== null) headers.age = String(Math.floor(facts.cached.ageMs / 1000));
  }
  if (facts.replayed !== null) headers["x-poundkey-replayed"] = "true";
  if (facts.costs !== null) {
    headers["x-poundkey-cost"] = formatPlainUsd(facts.costs.cost);
    headers["x-poundkey-charged"] = formatPlainUsd(facts.costs.charged);
  }
  const { shutdownDate = null } = facts.attempt?.card ?? {};
  if (shutdownDate !== null) headers.sunset = new Date(shutdownDate).toUTCString();
  if (facts.removedReasoning !== null) headers["x-poundkey-reasoning-removed"] = facts.removedReasoning;
  const { times } = facts;
  if (times !== null) headers["server-timing"] = formatTiming(times, reader.monotonicMs);
  if (facts.dropped.length > 0) headers["x-poundkey-dropped"] = formatHeaderList(facts.dropped);
  if (facts.call?.guard) addGuard(headers, facts.call.guard);
  return headers;
}

function addGuard(headers: Record<string, string>, findings: readonly GuardFinding[]): void {
  const acted = describeActed(findings);
  if (acted !== null) headers["x-poundkey-guard"] = acted;
}

/** Returns the milliseconds of the gateway's own, and those spent waiting for providers (W3C Server Timing). */
function formatTiming({ startedMs, upstreamMs }: NonNullable<Facts["times"]>, nowMs: number): string {
  const gatewayMs = Math.max(0, nowMs - startedMs - upstreamMs);
  return `gateway;dur=${gatewayMs.toFixed(1)}, upstream;dur=${upstreamMs.toFixed(1)}`;
}

export function limitHeaders(
  given: GrantedLimits | null,
  reader: Reader,
  headers: HeaderMap = {},
): HeaderMap {
  if (given === null) return headers;
  const { limits, tokenLimits = null } = given;
  if (limits !== null) addLimit(headers, "requests", limits, reader);
  if (tokenLimits !== null) addLimit(headers, "tokens", tokenLimits, reader);
  return headers;
}

function addLimit(
  headers: HeaderMap,
  kind: "requests" | "tokens",
  { limit, remaining, resetMs }: RequestLimits,
  { family, nowMs }: Reader,
): void {
  headers[`x-ratelimit-limit-${kind}`] = String(limit);
  headers[`x-ratelimit-remaining-${kind}`] = String(remaining);
  headers[`x-ratelimit-reset-${kind}`] = formatOpenaiDuration(resetMs);
  if (family !== "anthropic") return;
  // Anthropic's clients read these, with a time in RFC 3339.
  headers[`anthropic-ratelimit-${kind}-limit`] = String(limit);
  headers[`anthropic-ratelimit-${kind}-remaining`] = String(remaining);
  headers[`anthropic-ratelimit-${kind}-reset`] = new Date(nowMs + resetMs).toISOString();
}

/** Returns the limit that refused a request, as its headers tell it. */
export function findRefusing({ details }: Fault): GrantedLimits {
  const { limit: refusing, limits = null, retryAfterMs: resetMs = 0 } = details;
  if (!refusing) return { limits };
  const { kind, limit, used } = refusing;
  const rest = { limit, remaining: Math.max(0, limit - used), resetMs };
  if (kind === COUNTED.requests.name) return { limits: rest };
  return kind === COUNTED.tokens.name ? { limits, tokenLimits: rest } : { limits };
}
