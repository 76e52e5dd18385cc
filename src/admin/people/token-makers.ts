// Named tokens are upheld by the rights that their makers have now, along the tokens between them.
import type { Member, NamedToken } from "../../core/people/people.ts";
import { type Access, tokenAccess } from "../../people/access.ts";
import { memberAccess } from "../../people/member.ts";
import { canSignIn } from "../../people/state.ts";
import type { AdminWorld } from "../world.ts";

/** Tokens that were made by a token that was made by a token … */
const MAKERS_MAX = 8;

export function isExpired({ expiresAtMs }: NamedToken, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/** A token stands on the person who made it, along tokens that made tokens. Null for nobody. */
interface TokenStanding {
  readonly person: Member | null;
}

/** True if the token's maker may do now all that the token may. */
export async function isUpheld(
  store: AdminWorld["store"],
  token: NamedToken,
  nowMs: number,
): Promise<boolean> {
  return (await findStanding(store, token, nowMs)) !== null;
}

/** Returns whom the token stands on. Null if its maker may no longer do all that the token may, so that it has ended. */
export async function findStanding(
  store: AdminWorld["store"],
  token: NamedToken,
  nowMs: number,
): Promise<TokenStanding | null> {
  const { tokens, person } = await findMakers(store, token);
  let made = token;
  for (const maker of tokens) {
    if (isKeptByContact(made, person, nowMs)) return { person };
    if (maker.revokedAtMs !== null || isExpired(maker, nowMs)) return null;
    if (!isCovered(made, tokenAccess(maker))) return null;
    made = maker;
  }
  if (isKeptByContact(made, person, nowMs)) return { person };
  const isOwn = made.makerKind !== "person" && made.makerKind !== "token";
  return isOwn || isPersonAbove(made, person, nowMs) ? { person } : null;
}

function isPersonAbove(made: NamedToken, person: Member | null, nowMs: number): boolean {
  return person !== null && isCovered(made, memberAccess(person, nowMs));
}

interface Makers {
  /** From the token's own maker on. */
  readonly tokens: readonly NamedToken[];
  /** The person who made the last of them. Null if it was nobody, or is unknown. */
  readonly person: Member | null;
}

export async function findMakers({ people }: AdminWorld["store"], token: NamedToken): Promise<Makers> {
  const tokens: NamedToken[] = [];
  let last: NamedToken | null = token;
  while (last?.makerKind === "token" && tokens.length < MAKERS_MAX) {
    last = await people.token(last.makerId);
    if (last !== null) tokens.push(last);
  }
  return { tokens, person: last?.makerKind === "person" ? await people.member(last.makerId) : null };
}

/** For a while, a contact still upholds a token from before, unless an admin has shut its maker out. */
function isKeptByContact(
  { contact, contactUntilMs }: NamedToken,
  person: Member | null,
  nowMs: number,
): boolean {
  if (contact === null || contactUntilMs === undefined || contactUntilMs <= nowMs) return false;
  if (person !== null && !canSignIn(person)) return false;
  const own = person === null ? [] : [person.id, person.name, person.email ?? ""];
  return !own.some((name) => name.toLowerCase() === contact.trim().toLowerCase());
}

function isCovered({ grants, readsContent }: NamedToken, maker: Access): boolean {
  return maker.role !== null && maker.covers(grants) && (!readsContent || maker.coversContent(grants));
}
