// Finds keys by secrets that other gateways made, which don't have the form of ours.
import { createHash } from "node:crypto";
import type { ProvenKey } from "../core/keys/key.ts";
import type { Store } from "../core/store.ts";
import { cutToHost } from "../core/world/address.ts";
import type { Clock } from "../core/world/world.ts";

/** Secrets that those gateways' own documentation and examples use. Everybody knows them. */
const KNOWN_DEFAULTS: ReadonlySet<string> = new Set([
  "sk-1234",
  "sk-12345",
  "sk-123456",
  "sk-1234567890",
  "sk-0000",
  "sk-1111",
  "sk-test",
  "sk-key",
  "sk-secret",
  "sk-password",
  "sk-admin",
  "sk-master",
  "sk-master-key",
  "sk-litellm",
  "sk-litellm-key",
  "sk-litellm-master-key",
  "sk-my-key",
  "sk-my-master-key",
  "sk-anything",
  "sk-any",
  "sk-dummy",
  "sk-default",
  "sk-none",
  "sk-no-key-required",
  "sk-xxx",
]);
const FOREIGN_SHAPE = /^sk-[\x21-\x7e]+$/;
/** Enough for the mistakes of everybody behind one address. */
const MISSES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses counted at once. One more empties the table, so that an attacker with many addresses fills no memory. */
const ADDRESSES_MAX = 10_000;

/** True for a secret that everybody knows. */
export function isKnownDefault(secret: string): boolean {
  return KNOWN_DEFAULTS.has(secret);
}

/** Returns the digests of those secrets, as LiteLLM stores them. */
export function listKnownDigests(): ReadonlySet<string> {
  return new Set([...KNOWN_DEFAULTS].map(digestForeign));
}

/** Returns the form in which LiteLLM stores a secret: SHA-256 in hex, without salt. */
function digestForeign(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

interface ForeignParts {
  readonly store: Pick<Store, "foreign">;
  readonly clock: Pick<Clock, "nowMs">;
  /** The time until which foreign digests are looked up. Null if no key came from another gateway. */
  readonly untilMs: () => number | null;
}

/** A secret, and the address that sent it. */
interface SecretAttempt {
  readonly secret: string;
  readonly digest: string;
  readonly address: string;
}

/**
 * Looks up secrets of other forms than ours, if a key may have one. An address that sent too many wrong ones within a minute
 * has no others looked up.
 */
export class ForeignSecrets {
  readonly #parts: ForeignParts;
  #minute = 0;
  /** The digests of this minute's wrong secrets, by the host that sent them. */
  readonly #misses = new Map<string, Set<string>>();

  constructor(parts: ForeignParts) {
    this.#parts = parts;
  }

  /** True if the text may be the secret of a key from another gateway. */
  mayBe(secret: string): boolean {
    return this.#parts.untilMs() !== null && FOREIGN_SHAPE.test(secret) && !isKnownDefault(secret);
  }

  /** Finds the key of a secret with `find`, which looks up our own digest. Its first use replaces the foreign one. */
  async find(
    { secret, digest, address }: SecretAttempt,
    find: (digest: string) => Promise<ProvenKey | null>,
  ): Promise<ProvenKey | null> {
    const misses = this.#findMisses(cutToHost(address));
    if (misses.size >= MISSES_PER_MINUTE && !misses.has(digest)) return null;
    const found = (await find(digest)) ?? (await this.#adopt(secret, digest, find));
    if (found === null) misses.add(digest);
    return found;
  }

  /** Looks up our own digest once more in any case: another process may have replaced the foreign one meanwhile. */
  async #adopt(
    secret: string,
    digest: string,
    find: (digest: string) => Promise<ProvenKey | null>,
  ): Promise<ProvenKey | null> {
    const { store, clock, untilMs } = this.#parts;
    const nowMs = clock.nowMs();
    if ((untilMs() ?? 0) <= nowMs) return null;
    await store.foreign.adopt({ foreignDigest: digestForeign(secret), digest, nowMs });
    return find(digest);
  }

  #findMisses(host: string): Set<string> {
    const minute = Math.floor(this.#parts.clock.nowMs() / MINUTE_MS);
    if (minute !== this.#minute || this.#misses.size >= ADDRESSES_MAX) this.#misses.clear();
    this.#minute = minute;
    return this.#misses.getOrInsertComputed(host, () => new Set());
  }
}
