// Poundkey's own headers: those that a request may send, and those that say how an answer was served.
import { Fault } from "../core/fault.ts";
import type { Facts } from "../gateway/call.ts";
import { formatDuration, formatHeaderList, type HeaderMap } from "./answers.ts";

/** Reads a number from one of our headers. Null if it isn't sent. */
export function headerNumber(headers: Headers, name: string, least: number, most: number): number | null {
  const given = headers.get(name);
  if (given === null) return null;
  const value = given.trim() === "" ? Number.NaN : Number(given);
  if (value >= least && value <= most) return value;
  const message = `Invalid header '${name}': expected a number from ${least} to ${most}.`;
  throw new Fault("invalid_value", message, { param: name });
}

export function factHeaders(facts: Facts, limits = facts.limits): HeaderMap {
  const headers = limitHeaders(limits);
  if (facts.model !== null) headers["x-poundkey-model"] = facts.model.replace(/[^\x20-\x7e]/g, "?");
  if (facts.attempts > 0) headers["x-poundkey-attempts"] = String(facts.attempts);
  if (facts.selector !== null) {
    headers["x-poundkey-selector"] = facts.selector.id;
    headers["x-poundkey-why"] = facts.selector.why;
  }
  if (facts.replayed !== null) headers["x-poundkey-replayed"] = "true";
  if (facts.dropped.length > 0) headers["x-poundkey-dropped"] = formatHeaderList(facts.dropped);
  return headers;
}

export function limitHeaders(limits: Facts["limits"]): HeaderMap {
  if (limits === null) return {};
  return {
    "x-ratelimit-limit-requests": String(limits.limit),
    "x-ratelimit-remaining-requests": String(limits.remaining),
    "x-ratelimit-reset-requests": formatDuration(limits.resetMs),
  };
}
