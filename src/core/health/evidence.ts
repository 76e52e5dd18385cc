// Says whom a failure speaks about: the provider with everybody's requests, or the request of one payer alone.
import type { Fault } from "../faults/fault.ts";
import { readMeaning } from "../models/upstream.ts";

/**
 * `shared`: no request can have caused it. `caller`: one payer's request may have caused it, so it never decides alone about
 * the requests of another. `none`: it says nothing about the provider.
 */
export type Evidence = "shared" | "caller" | "none";

/** The way a call has passed a breaker: freely, or as a test of its payer's own circuit, of the one for all, or of both. */
export type Passage = "free" | "own" | "all" | "both";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;
const KEY_WORDS = /\b(api[ _-]?key|access[ _-]key|subscription key|credential)/i;
/** A filter that found a secret in a prompt, and quotes of it, name a key as well. */
const PROMPT_WORDS = /\b(prompts?|inputs?|messages?|contents?|contains?|detected|policy)\b/i;
const QUOTATIONS = /"[^"]*"|`[^`]*`|“[^”]*”|(?<=^|[\s(:=[])'[^']*'(?=$|[\s).,:;\]])/g;
/** A restricted key: it serves other kinds of requests, which each payer chooses. */
const SCOPE_WORDS =
  /\bmissing scopes?\b|\binsufficient (permissions?|scopes?)\b|\b(does not|doesn't) have (the )?(required )?(scope|permission)/i;

/** A gateway in front of the model counts the requests of each end user, whom a client names. */
const END_USER_WORDS = /\bend[ _-]?user\b/i;

/** Returns the evidence in a fault of a provider, a tool server or a proxy. */
export function findEvidence(fault: Fault): Evidence {
  const { unsent, stale, provoked, gone } = fault.details;
  if (unsent || gone === "said") return "shared";
  // A kept connection that its server had closed, and a model that gave up, say nothing about the server.
  if (stale || provoked || fault.row.blame !== "provider") return "none";
  if (fault.code === "upstream_auth") return readAuth(fault);
  if (fault.code !== "provider_busy" || fault.details.upstreamStatus !== TOO_MANY) return "caller";
  return END_USER_WORDS.test(fault.details.upstream?.message ?? "") ? "none" : "shared";
}

/** A 402, and any status whose words led to this fault, speak of the account. */
function readAuth(fault: Fault): Evidence {
  const { upstreamStatus } = fault.details;
  if (saysScope(fault)) return "none";
  if (upstreamStatus !== UNAUTHORIZED && upstreamStatus !== FORBIDDEN) return "shared";
  return namesKey(fault) ? "shared" : "caller";
}

/** True if the provider's words say that the credential itself is refused, whatever the request says. */
export function namesKey({ details: { upstream } }: Fault): boolean {
  if (upstream?.code !== undefined && readMeaning(upstream.code) === "upstream_auth") return true;
  const words = (upstream?.message ?? "").replace(QUOTATIONS, "");
  return KEY_WORDS.test(words) && !PROMPT_WORDS.test(words);
}

function saysScope({ details: { upstream } }: Fault): boolean {
  return SCOPE_WORDS.test(upstream?.message ?? "");
}
