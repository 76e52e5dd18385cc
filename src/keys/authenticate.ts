// Finds the key that a client's secret proves, with what binds the person whose key it is.
import { invalidKey, isProven, type ProvenKey } from "../core/key.ts";
import { findMemberLimits } from "../core/member-limits.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { checkSecret, digestSecret } from "./secret.ts";

interface AuthenticationParts {
  readonly store: Pick<Store, "keyByDigest" | "account"> & {
    readonly people: Pick<Store["people"], "memberTerms">;
  };
  readonly clock: Pick<Clock, "nowMs">;
  readonly pepper: Uint8Array;
}

/**
 * Returns the key that a secret proves, which may be paused. Throws the Fault `invalid_api_key`, the same for every
 * wrong secret, or `store_unavailable`. The store is asked only about texts that have the form of our secrets.
 */
export async function authenticate(parts: AuthenticationParts, secret: string): Promise<ProvenKey> {
  if (!checkSecret(secret)) throw invalidKey();
  return requireProven(await find(parts.store, digestSecret(secret, parts.pepper)), parts.clock.nowMs());
}

async function find(store: AuthenticationParts["store"], digest: string): Promise<ProvenKey | null> {
  const found = await store.keyByDigest(digest);
  return found === null || found.key.memberId === null ? found : bindMember(store, found, found.key.memberId);
}

/** The models of a personal key are also those that its member may use in the account. */
async function bindMember(store: AuthenticationParts["store"], found: ProvenKey, memberId: string) {
  const { key } = found;
  const [account, terms] = await Promise.all([
    store.account(key.accountId),
    store.people.memberTerms(memberId),
  ]);
  if (account === null) return found;
  const { allowedModels: memberModels } = findMemberLimits(account, terms ?? undefined);
  return memberModels === null ? found : { ...found, key: { ...key, memberModels } };
}

function requireProven(found: ProvenKey | null, nowMs: number): ProvenKey {
  if (found === null) throw invalidKey();
  if (!isProven(found, nowMs)) throw invalidKey(found.key);
  return found;
}

const REMEMBERED_MS = 500;
const KEYS_MAX = 10_000;

/**
 * Returns an `authenticate` that remembers digests for half a second, so that a key in steady use costs no lookup and no
 * promise. A revocation shows here after that time at the latest; the admission of a request reads the key again.
 */
export function createAuthenticator(parts: AuthenticationParts) {
  const { store, clock, pepper } = parts;
  const seen = new Map<string, { readonly found: ProvenKey | null; readonly atMs: number }>();
  const remember = async (digest: string, atMs: number) => {
    const found = await find(store, digest);
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(digest, { found, atMs });
    return requireProven(found, clock.nowMs());
  };
  return (secret: string): ProvenKey | Promise<ProvenKey> => {
    const digest = digestSecret(secret, pepper);
    const nowMs = clock.nowMs();
    const known = seen.get(digest);
    // The form of a remembered secret was checked before its first lookup.
    if (known && Math.abs(nowMs - known.atMs) < REMEMBERED_MS) return requireProven(known.found, nowMs);
    if (!checkSecret(secret)) throw invalidKey();
    return remember(digest, nowMs);
  };
}
