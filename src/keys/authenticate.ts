// Finds the key that a client's secret proves, with what binds the person whose key it is.
import type { ProvenAgent } from "../core/device.ts";
import { Fault } from "../core/fault.ts";
import { invalidKey, isProven, nameKey, type ProvenKey } from "../core/key.ts";
import { findMemberModels } from "../core/member-limits.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import type { ForeignSecrets } from "./foreign.ts";
import { checkSecret, digestSecret } from "./secret.ts";

interface AuthenticationParts {
  readonly store: Pick<Store, "keyByDigest" | "account"> & {
    readonly people: Pick<Store["people"], "memberTerms">;
  };
  readonly clock: Pick<Clock, "nowMs">;
  readonly pepper: Uint8Array;
  /** Missing where no agents are signed in. */
  readonly agents?: AgentParts;
  /** Missing where no keys of other gateways are taken. */
  readonly foreign?: ForeignSecrets;
}

interface AgentParts {
  /** Finds the secret of a signed-in agent by its digest, also after its end. */
  readonly find: (digest: string) => Promise<ProvenAgent | null>;
  /** The gateway's public address. Null while people can't sign in. */
  readonly publicUrl: () => string | null;
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
async function bindMember<Proven extends Pick<ProvenKey, "key">>(
  store: AuthenticationParts["store"],
  found: Proven,
  memberId: string,
): Promise<Proven> {
  const { key } = found;
  const [account, terms] = await Promise.all([
    store.account(key.accountId),
    store.people.memberTerms(memberId),
  ]);
  if (account === null) return found;
  const memberModels = findMemberModels(account, terms ?? { rules: [] });
  return memberModels === null ? found : { ...found, key: { ...key, memberModels } };
}

function requireProven(found: ProvenKey | null, nowMs: number): ProvenKey {
  if (found === null) throw invalidKey();
  if (!isProven(found, nowMs)) throw invalidKey(found.key);
  return found;
}

/** A secret as the store knows it, or null. */
type Found = { readonly proven: ProvenKey } | { readonly agent: ProvenAgent } | null;

/** An agent's secret is looked for only after no key has it, so other keys cost nothing more. */
async function findSecret({ store, agents }: AuthenticationParts, digest: string): Promise<Found> {
  const proven = await find(store, digest);
  if (proven !== null) return { proven };
  const agent = (await agents?.find(digest)) ?? null;
  if (agent === null || agent.key.memberId === null) return agent && { agent };
  return { agent: await bindMember(store, agent, agent.key.memberId) };
}

function requireFound({ agents }: AuthenticationParts, found: Found, nowMs: number): ProvenKey {
  if (found === null || "proven" in found) return requireProven(found?.proven ?? null, nowMs);
  const { key, untilMs } = found.agent;
  const proven = { key, rotation: key.rotations };
  if (untilMs > nowMs && isProven(proven, nowMs)) return proven;
  throw signInRequired(key, agents?.publicUrl() ?? null);
}

function signInRequired(key: ProvenKey["key"], publicUrl: string | null): Fault {
  const where = publicUrl === null ? "" : ` at ${publicUrl}`;
  const how = publicUrl === null ? "" : ` (or: poundkey login ${publicUrl})`;
  const message = `Your sign-in has ended. Sign in again${where} from your agent: /login in Claude Code${how}.`;
  return new Fault("sign_in_required", message, { key: nameKey(key) });
}

const REMEMBERED_MS = 500;
const KEYS_MAX = 10_000;

/**
 * Returns an `authenticate` that remembers digests for half a second, so that a key in steady use costs no lookup and no
 * promise. A revocation shows here after that time at the latest; the admission of a request reads the key again. The
 * address is only read for a secret without our form.
 */
export function createAuthenticator(parts: AuthenticationParts) {
  const { clock, pepper, store, foreign } = parts;
  const seen = new Map<string, { readonly found: Found; readonly atMs: number }>();
  const remember = async (name: string, atMs: number, looked: Promise<Found>) => {
    const found = await looked;
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(name, { found, atMs });
    return requireFound(parts, found, clock.nowMs());
  };
  const findForeign = async (secret: string, digest: string, address: string): Promise<Found> => {
    const proven = await foreign?.find({ secret, digest, address }, (own) => find(store, own));
    return proven ? { proven } : null;
  };
  // Secrets aren't kept. Their digests would do, too, but take twice as long as this hash, and an object of the runtime.
  const salt = pepper.toHex();
  return (secret: string, readAddress = () => ""): ProvenKey | Promise<ProvenKey> => {
    const name = Bun.SHA256.hash(salt + secret, "base64");
    const nowMs = clock.nowMs();
    const known = seen.get(name);
    // The form of a remembered secret was checked before its first lookup.
    if (known && Math.abs(nowMs - known.atMs) < REMEMBERED_MS) return requireFound(parts, known.found, nowMs);
    const isOurs = checkSecret(secret);
    if (!isOurs && !foreign?.mayBe(secret)) throw invalidKey();
    const digest = digestSecret(secret, pepper);
    const finding = isOurs ? findSecret(parts, digest) : findForeign(secret, digest, readAddress());
    return remember(name, nowMs, finding);
  };
}
