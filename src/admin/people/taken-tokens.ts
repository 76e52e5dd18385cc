// A named token that somebody takes over: it stands on them from then on, with another secret.
import { Fault } from "../../core/faults/fault.ts";
import type { NamedToken } from "../../core/people/people.ts";
import { digestSecret, mintTokenSecret } from "../../keys/secret.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { closeObject } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { requireAdminToken } from "./directory-tokens.ts";
import {
  checkMaker,
  coversToken,
  findTokenEnd,
  LAST_CHARACTERS_SHOWN,
  type NewTokenView,
  noToken,
  viewToken,
} from "./named-tokens.ts";
import { findMakers, isExpired } from "./token-makers.ts";

export const takenTokenSchema = closeObject({});

/**
 * Its old secret ends at once. Tokens that it made stand on its new holder as well. Throws the Faults `not_found` and
 * `not_permitted`.
 */
export async function takeToken(
  world: ActingWorld,
  id: string,
  access: Access = adminAccess(COMMAND_LINE),
): Promise<NewTokenView> {
  const { store, changes, clock, pepper, random } = world;
  const nowMs = clock.nowMs();
  const known = await store.people.token(id);
  if (known === null || !coversToken(access, known)) throw noToken();
  if (known.kind === "scim") requireAdminToken(access);
  else checkMaker(access, known.grants, known.readsContent);
  await refuseCircle(world, known, access);
  const secret = mintTokenSecret(random);
  const take = (before: NamedToken): NamedToken => {
    if (before.revokedAtMs !== null || isExpired(before, nowMs)) throw overToken();
    return {
      ...before,
      last4: secret.slice(-LAST_CHARACTERS_SHOWN),
      makerKind: access.actor.kind,
      makerId: access.actor.id,
      contactUntilMs: undefined,
      expiresAtMs: earlier(before.expiresAtMs, findTokenEnd(access, "takeToken", before.grants)),
    };
  };
  const taken = await changes.takeToken(id, take, digestSecret(secret, pepper));
  if (taken === null) throw noToken();
  return { ...(await viewToken(store, taken, nowMs)), secret };
}

/** Two tokens that stand on each other would stand on nobody. */
async function refuseCircle({ store }: ActingWorld, { id }: NamedToken, access: Access): Promise<void> {
  if (access.actor.kind !== "token") return;
  const own = await store.people.token(access.actor.id);
  const above = own === null ? [] : [own, ...(await findMakers(store, own)).tokens];
  if (!above.some((one) => one.id === id)) return;
  throw new Fault("not_permitted", "A token can't take over itself, nor a token that it stands on.");
}

function overToken(): Fault {
  const message = "This token was revoked or has expired, and can't be taken over. Make another one.";
  return new Fault("not_permitted", message);
}

function earlier(atMs: number | null, endMs: number | null): number | null {
  if (atMs === null || endMs === null) return atMs ?? endMs;
  return Math.min(atMs, endMs);
}
