// The personal key with which its holder asks from the console, where no secret is at hand.
import { Fault } from "../../core/faults/fault.ts";
import { findKeyState, type GatewayKey } from "../../core/keys/key.ts";
import type { Access } from "../../people/access.ts";
import type { AdminWorld } from "../world.ts";
import { requireKey } from "./keys.ts";

/**
 * Returns the key if it is the sender's own and live. Throws the Faults `not_found`, `not_permitted`, `key_revoked` and
 * `key_expired`: one about a wrong secret would end the console's session.
 */
export async function openPlaygroundKey(
  { store, clock }: Pick<AdminWorld, "store" | "clock">,
  id: string,
  access: Access,
): Promise<GatewayKey> {
  const key = requireKey(id, await store.key(id, access.scope("keys.read")));
  access.require("playground.own", key.accountId);
  if (key.memberId === null || key.memberId !== access.memberId)
    throw new Fault("not_permitted", "The playground takes your own personal keys, and this key isn't one.");
  const state = findKeyState(key, clock.nowMs());
  if (state === "revoked") throw new Fault("key_revoked", "This key is revoked. Choose another one.");
  if (state === "expired") throw new Fault("key_expired", "This key has expired. Choose another one.");
  return key;
}
