// Finds the key that a client's secret proves, with what binds the person whose key it is.

import { Fault } from "../core/faults/fault.ts";
import {
  type GatewayKey,
  invalidKey,
  isLive,
  isProven,
  listPausers,
  nameKey,
  type ProvenKey,
  refusePaused,
} from "../core/keys/key.ts";
import {
  findMemberModels,
  findMemberTools,
  type MemberDefaults,
  NO_MEMBER_LIMITS,
} from "../core/limits/member-limits.ts";
import type { ProvenAgent } from "../core/people/device.ts";
import type { KeyTerms } from "../core/people/people.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import type { ForeignSecrets } from "./foreign.ts";
import { checkSecret, digestSecret } from "./secret.ts";

interface AuthenticationParts {
  readonly store: Pick<Store, "keyByDigest" | "account"> & {
    readonly people: Pick<Store["people"], "memberTerms">;
  };
  readonly clock: Pick<Clock, "nowMs">;
  readonly pepper: Uint8Array;
  /** True if the person may use personal keys in the account at that time. */
  readonly mayUseKeys: (member: KeyTerms, accountId: string, nowMs: number) => boolean;
  /** The models and tools of members to whom neither a rule nor their account gives others. Missing for all. */
  readonly memberDefaults?: () => Pick<MemberDefaults, "allowedModels" | "allowedTools">;
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
  return requireProven(parts, await find(parts, digestSecret(secret, parts.pepper)), parts.clock.nowMs());
}

async function find(parts: AuthenticationParts, digest: string): Promise<ProvenKey | null> {
  const found = await parts.store.keyByDigest(digest);
  return found === null || found.key.memberId === null ? found : bindMember(parts, found, found.key.memberId);
}

/**
 * A personal key is its member's right in the account: it works as long as the member may have one there, on the models and
 * tools that the member may use there.
 */
async function bindMember<Proven extends Pick<ProvenKey, "key">>(
  { store, clock, mayUseKeys, memberDefaults }: AuthenticationParts,
  found: Proven,
  memberId: string,
): Promise<Proven> {
  const { key } = found;
  const [account, terms] = await Promise.all([
    store.account(key.accountId),
    store.people.memberTerms(memberId),
  ]);
  if (terms === null || !mayUseKeys(terms, key.accountId, clock.nowMs())) {
    return { ...found, key: { ...key, isMemberOut: true } };
  }
  if (account === null) return found;
  const byDefault = memberDefaults?.() ?? NO_MEMBER_LIMITS;
  const memberModels = findMemberModels(account, terms, byDefault);
  const memberTools = findMemberTools(account, terms, byDefault);
  if (memberModels === null && memberTools === null) return found;
  return {
    ...found,
    key: { ...key, ...(memberModels && { memberModels }), ...(memberTools && { memberTools }) },
  };
}

function requireProven(parts: AuthenticationParts, found: ProvenKey | null, nowMs: number): ProvenKey {
  if (found === null) throw invalidKey();
  if (!isProven(found, nowMs)) throw refuseEnded(parts, found.key);
  return requireMember(parts, found);
}

/** A key that was revoked with its person's sign-in says so as long as the person is out: signing in again is what helps. */
function refuseEnded({ agents }: AuthenticationParts, key: GatewayKey): Fault {
  if (!key.isMemberOut || key.revokedAtMs === null) return invalidKey(key);
  const where = nameSite(agents?.publicUrl() ?? null);
  const message = `This key ended, as your role no longer lets you use keys in its account. Sign in again${where} and make another key, or ask the gateway's operator.`;
  return new Fault("sign_in_required", message, { key: nameKey(key) });
}

function requireMember({ agents }: AuthenticationParts, found: ProvenKey): ProvenKey {
  const { key } = found;
  if (!key.isMemberOut) return found;
  const where = nameSite(agents?.publicUrl() ?? null);
  const message = `Your role no longer lets you use keys in this key's account. Sign in again${where}, or ask the gateway's operator.`;
  // A pause by the directory lasts as long as the person is out, and tells the holder less.
  const isPausedBesides = listPausers(key).some((pauser) => pauser !== "directory");
  const paused = isPausedBesides ? refusePaused(key) : null;
  throw paused ?? new Fault("sign_in_required", message, { key: nameKey(key) });
}

/** Keys are remembered for this long. A change shows here after that time at the latest; each admission reads the key again. */
const REMEMBERED_MS = 500;
const KEYS_MAX = 10_000;

type KeyFinderParts = Omit<AuthenticationParts, "store" | "pepper" | "foreign"> & {
  readonly store: AuthenticationParts["store"] & Pick<Store, "key">;
  readonly pepper: Uint8Array;
};

/**
 * Returns a function that finds a key by its id, as it may be used at that moment. It throws the Faults of one that may not,
 * which may be paused. The lines of a batch ask for the same key one after the other, so it is remembered for a while.
 */
export function createKeyFinder(parts: KeyFinderParts): (id: string) => Promise<GatewayKey> {
  const { clock } = parts;
  const seen = new Map<string, { readonly found: Promise<GatewayKey>; readonly atMs: number }>();
  return (id) => {
    const nowMs = clock.nowMs();
    const known = seen.get(id);
    if (known && Math.abs(nowMs - known.atMs) < REMEMBERED_MS) return known.found;
    if (seen.size >= KEYS_MAX) seen.clear();
    const found = findUsable(parts, id);
    const asked = { found, atMs: nowMs };
    seen.set(id, asked);
    // Only a key that may be used is remembered.
    found.catch(() => seen.get(id) === asked && seen.delete(id));
    return found;
  };
}

async function findUsable(parts: KeyFinderParts, id: string): Promise<GatewayKey> {
  const key = await parts.store.key(id);
  if (key === null) throw invalidKey();
  const bound = key.memberId === null ? { key } : await bindMember(parts, { key }, key.memberId);
  // Lines of a batch have nothing to wait for once it has ended, whatever becomes of its person.
  if (!isLive(key, parts.clock.nowMs())) throw invalidKey(key);
  const proven = requireMember(parts, { key: bound.key, rotation: key.rotations });
  const refusal = refusePaused(proven.key);
  if (refusal !== null) throw refusal;
  return proven.key;
}

/** A secret as the store knows it, or null. */
type SecretOwner = { readonly proven: ProvenKey } | { readonly agent: ProvenAgent } | null;

/** An agent's secret is looked for only after no key has it, so other keys cost nothing more. */
async function findSecret(parts: AuthenticationParts, digest: string): Promise<SecretOwner> {
  const { agents } = parts;
  const proven = await find(parts, digest);
  if (proven !== null) return { proven };
  const agent = (await agents?.find(digest)) ?? null;
  if (agent === null || agent.key.memberId === null) return agent && { agent };
  return { agent: await bindMember(parts, agent, agent.key.memberId) };
}

function requireFound(parts: AuthenticationParts, found: SecretOwner, nowMs: number): ProvenKey {
  if (found === null || "proven" in found) return requireProven(parts, found?.proven ?? null, nowMs);
  const { key, untilMs } = found.agent;
  const proven = { key, rotation: key.rotations };
  if (untilMs > nowMs && isProven(proven, nowMs)) return requireMember(parts, proven);
  const publicUrl = parts.agents?.publicUrl() ?? null;
  const how = publicUrl === null ? "" : ` (or: poundkey login ${publicUrl})`;
  const message = `Your sign-in has ended. Sign in again${nameSite(publicUrl)} from your agent: /login in Claude Code${how}.`;
  throw new Fault("sign_in_required", message, { key: nameKey(key) });
}

function nameSite(publicUrl: string | null): string {
  return publicUrl === null ? "" : ` at ${publicUrl}`;
}

/** A sender whose address is only read for a secret without our form. */
const NOWHERE = { address: "" };

/**
 * Returns an `authenticate` that remembers digests for half a second, so that a key in steady use costs no lookup and no
 * promise. A revocation shows here after that time at the latest; the admission of a request reads the key again. The
 * address is only read for a secret without our form.
 */
export function createAuthenticator(parts: AuthenticationParts) {
  const { clock, pepper, foreign } = parts;
  const seen = new Map<string, { readonly found: SecretOwner; readonly atMs: number }>();
  const remember = async (name: string, atMs: number, looked: Promise<SecretOwner>) => {
    const found = await looked;
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(name, { found, atMs });
    return requireFound(parts, found, clock.nowMs());
  };
  const findForeign = async (secret: string, digest: string, address: string): Promise<SecretOwner> => {
    const proven = await foreign?.find({ secret, digest, address }, (own) => find(parts, own));
    return proven ? { proven } : null;
  };
  // Secrets aren't kept. Their digests would do, too, but take twice as long as this hash, and an object of the runtime.
  const salt = pepper.toHex();
  return (secret: string, sender = NOWHERE): ProvenKey | Promise<ProvenKey> => {
    const name = Bun.SHA256.hash(salt + secret, "base64");
    const nowMs = clock.nowMs();
    const known = seen.get(name);
    // The form of a remembered secret was checked before its first lookup.
    if (known && Math.abs(nowMs - known.atMs) < REMEMBERED_MS) return requireFound(parts, known.found, nowMs);
    const isOurs = checkSecret(secret);
    if (!isOurs && !foreign?.mayBe(secret)) throw invalidKey();
    const digest = digestSecret(secret, pepper);
    const finding = isOurs ? findSecret(parts, digest) : findForeign(secret, digest, sender.address);
    return remember(name, nowMs, finding);
  };
}
