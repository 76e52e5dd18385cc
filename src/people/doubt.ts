// Doubt about a person: what ends, and when, while the issuer gives no definite word.
import type { Doubt, Member } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";

/** Returns the person's doubt. Null if the issuer's last word was definite: every sign-in and every yes ends a doubt. */
export function findDoubt({ doubt, seenAtMs }: Pick<Member, "doubt" | "seenAtMs">): Doubt | null {
  return doubt !== undefined && doubt.sinceMs > seenAtMs ? doubt : null;
}

/** Returns the doubt that began then. Keys outlast sessions, since nobody notices an issuer that is away for less than `recheck`. */
export function makeDoubt(
  { members: { recheckMs, doubtMs } }: Pick<SignInRules, "members">,
  sinceMs: number,
): Doubt {
  const actsUntilMs = sinceMs + recheckMs;
  return { sinceMs, actsUntilMs, keysUntilMs: Math.max(actsUntilMs, sinceMs + doubtMs) };
}
