// Named tokens are upheld by the rights that their makers have now, along the tokens between them.
import type { Member, NamedToken } from "../core/people.ts";
import { type Access, tokenAccess } from "../people/access.ts";
import { memberAccess } from "../people/member.ts";
import type { AdminWorld } from "./world.ts";

/** Tokens that were made by a token that was made by a token … */
const MAKERS_MAX = 8;

export function isExpired({ expiresAtMs }: NamedToken, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/**
 * A token is upheld by its contact, if that is somebody else than the person who made it. Otherwise it is upheld by its
 * maker, as long as the maker's own rights cover the token's.
 */
export async function isUpheld(
  store: AdminWorld["store"],
  token: NamedToken,
  nowMs: number,
): Promise<boolean> {
  const { tokens, person } = await findMakers(store, token);
  let made = token;
  for (const maker of tokens) {
    if (hasOtherContact(made, person)) return true;
    if (maker.revokedAtMs !== null || isExpired(maker, nowMs)) return false;
    if (!isCovered(made, tokenAccess(maker))) return false;
    made = maker;
  }
  if (hasOtherContact(made, person)) return true;
  if (made.makerKind === "person") return person !== null && isCovered(made, memberAccess(person, nowMs));
  return made.makerKind !== "token";
}

interface Makers {
  /** From the token's own maker on. */
  readonly tokens: readonly NamedToken[];
  /** The person who made the last of them. Null if it was nobody, or is unknown. */
  readonly person: Member | null;
}

async function findMakers({ people }: AdminWorld["store"], token: NamedToken): Promise<Makers> {
  const tokens: NamedToken[] = [];
  let last: NamedToken | null = token;
  while (last?.makerKind === "token" && tokens.length < MAKERS_MAX) {
    last = await people.token(last.makerId);
    if (last !== null) tokens.push(last);
  }
  return { tokens, person: last?.makerKind === "person" ? await people.member(last.makerId) : null };
}

function hasOtherContact({ contact }: NamedToken, person: Member | null): boolean {
  if (contact === null) return false;
  const own = person === null ? [] : [person.id, person.name, person.email ?? ""];
  return !own.some((name) => name.toLowerCase() === contact.trim().toLowerCase());
}

function isCovered({ grants, readsContent }: NamedToken, maker: Access): boolean {
  return maker.role !== null && maker.covers(grants) && (!readsContent || maker.coversContent(grants));
}
