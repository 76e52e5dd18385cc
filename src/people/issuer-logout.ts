// The issuer's own sign-out (OpenID Connect Back-Channel Logout 1.0): it ends sessions here without a browser.
import { isObject } from "../core/json/json.ts";
import { digestSecret } from "../keys/secret.ts";
import { type Claims, SignInRefused } from "./issuer.ts";
import { findMemberId } from "./member.ts";
import type { SignInParts } from "./sign-in.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** The age at which a token is refused. Its id is remembered for twice as long. */
const AGE_MAX_MS = 5 * 60_000;
/** The clocks of two machines differ. */
const AHEAD_MAX_MS = 60_000;

/** Ends the sessions that the token names, and returns how many. Throws a `SignInRefused` if anything in it is wrong. */
export async function endIssuerSession(parts: SignInParts, token: string): Promise<number> {
  const rules = parts.rules();
  if (rules === undefined) throw refuse("People can't sign in here.");
  const claims = await parts.issuer(rules).readLogout(token);
  const nowMs = parts.clock.nowMs();
  const { jti, sub, sid } = checkClaims(claims, nowMs);
  const digest = digestSecret(`logout ${JSON.stringify([rules.issuer, jti])}`, parts.pepper);
  const memberId = sub === null ? null : await findMemberId(parts, rules, sub);
  const use = { digest, untilMs: nowMs + 2 * AGE_MAX_MS, nowMs };
  const sessions = await parts.store.people.endSessionsOnce(use, { memberId, issuerSession: sid });
  if (sessions === null) throw refuse("The logout token was already used (jti).");
  if (sessions > 0) {
    const target = { type: "session", id: memberId ?? "", name: "" } as const;
    const facts = { action: "session.ended", target, reason: "issuer_logout", after: { sessions } } as const;
    await parts.recordAs().note(facts);
  }
  parts.log({ event: "session.ended", ...(memberId === null ? {} : { member_id: memberId }), sessions });
  return sessions;
}

function checkClaims(claims: Claims, nowMs: number) {
  const { iat, jti, events, nonce } = claims;
  if (typeof iat !== "number") throw refuse("The logout token has no time (iat).");
  const ageMs = nowMs - iat * 1000;
  if (ageMs > AGE_MAX_MS) throw refuse("The logout token is older than 5 minutes (iat).");
  if (ageMs < -AHEAD_MAX_MS) throw refuse("The logout token is from the future (iat).");
  if (typeof jti !== "string" || jti === "") throw refuse("The logout token has no id (jti).");
  if (!isObject(events) || !isObject(events[EVENT])) throw refuse("The token isn't for a logout (events).");
  if (nonce !== undefined) throw refuse("The token has a nonce, so it is no logout token.");
  const sub = typeof claims.sub === "string" && claims.sub !== "" ? claims.sub : null;
  const sid = typeof claims.sid === "string" && claims.sid !== "" ? claims.sid : null;
  if (sub === null && sid === null) throw refuse("The logout token names nobody (sub, sid).");
  return { jti, sub, sid };
}

function refuse(message: string): SignInRefused {
  return new SignInRefused("attempt", "logout_token", message);
}
