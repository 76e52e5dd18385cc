// Remembers what was found in texts of the last minutes: most of a conversation is the same in its next turn.
import { createCipheriv } from "node:crypto";
import type { Match } from "../../guard/scanner.ts";

const TEXTS_MAX = 50_000;
const AGE_MAX_MS = 600_000;
/** A shorter text is searched in the time that its digest takes, and a longer one's would keep the loop. */
const CHARACTERS_MIN = 256;
const CHARACTERS_MAX = 1_000_000;
/** More places of one text aren't remembered. */
const PLACES_MAX = 1000;
/** The places of all texts: some 40 MB. */
const ALL_PLACES_MAX = 500_000;

/** A UTF-16 unit takes at most so many bytes. */
const UNIT_BYTES = 3;
/** Longer texts get bytes of their own. */
const BYTES = 98_304;
const ENCODER = new TextEncoder();
const NONCE = new Uint8Array(12);

interface KnownText {
  readonly found: readonly Match[];
  readonly untilMs: number;
}

/** Places by a keyed digest of the text: neither the text nor a value in it is kept. */
export class KnownPlaces {
  readonly #secret: Uint8Array;
  readonly #bytes = new Uint8Array(BYTES);
  /** The oldest first. */
  readonly #places = new Map<string, KnownText>();
  #count = 0;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Returns the key of the names of texts that are searched for the same things, which `scope` says. */
  deriveKey(scope: string): Uint8Array {
    return new Bun.CryptoHasher("sha256", this.#secret).update(scope).digest();
  }

  /** Returns the text's name. Null if it isn't remembered. */
  name(key: Uint8Array, before: string, text: string): string | null {
    if (text.length < CHARACTERS_MIN || text.length > CHARACTERS_MAX) return null;
    // The length says where the field ends.
    const head = `${before.length} ${before}`;
    const bytesMax = UNIT_BYTES * (head.length + text.length);
    const bytes = bytesMax > BYTES ? new Uint8Array(bytesMax) : this.#bytes;
    const start = ENCODER.encodeInto(head, bytes).written;
    const end = start + ENCODER.encodeInto(text, bytes.subarray(start)).written;
    const name = authenticate(key, bytes.subarray(0, end));
    bytes.fill(0, 0, end);
    return name;
  }

  find(name: string, nowMs: number): readonly Match[] | null {
    const known = this.#places.get(name);
    return known !== undefined && known.untilMs > nowMs ? known.found : null;
  }

  add(name: string, found: readonly Match[], nowMs: number): void {
    if (found.length > PLACES_MAX) return;
    this.#forget(name);
    this.#places.set(name, { found, untilMs: nowMs + AGE_MAX_MS });
    this.#count += found.length;
    while (this.#places.size > TEXTS_MAX || this.#count > ALL_PLACES_MAX) {
      const [oldest = ""] = this.#places.keys();
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#count -= this.#places.get(name)?.found.length ?? 0;
    this.#places.delete(name);
  }
}

/**
 * A GMAC, in a third of an HMAC's time. Under one nonce it is a hash whose collisions nobody finds who knows neither the key nor any
 * of its results, and these leave this file no more than the key does.
 */
function authenticate(key: Uint8Array, bytes: Uint8Array): string {
  const cipher = createCipheriv("aes-256-gcm", key, NONCE).setAAD(bytes);
  cipher.final();
  return cipher.getAuthTag().toString("base64");
}
