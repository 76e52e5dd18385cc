// Remembers what was found in texts of the last minutes: most of a conversation is the same in its next turn.
import { createCipheriv } from "node:crypto";
import type { Match } from "../../guard/scanner.ts";
import type { SearchedText } from "../../guard/texts.ts";

const NAMES_MAX = 50_000;
const AGE_MAX_MS = 600_000;
/** The name of more would keep the loop. */
const CHARACTERS_MAX = 1_000_000;
/** More places under one name aren't remembered. */
const PLACES_MAX = 1000;
/** The places under all names: some 40 MB. */
const ALL_PLACES_MAX = 500_000;
/** A UTF-16 unit takes at most so many bytes. */
const UNIT_BYTES = 3;
/** More of them are made for one use. */
const BYTES = 131_072;
const ENCODER = new TextEncoder();
const NONCE = new Uint8Array(12);

/** The findings of each of some texts by itself. */
type FoundPlaces = readonly (readonly Match[])[];

interface KnownTexts {
  readonly found: FoundPlaces;
  readonly places: number;
  readonly untilMs: number;
}

/** Places by a keyed digest of the texts: neither a text nor a value in it is kept. */
export class KnownPlaces {
  readonly #secret: Uint8Array;
  readonly #bytes = new Uint8Array(BYTES);
  /** The oldest first. */
  readonly #texts = new Map<string, KnownTexts>();
  #places = 0;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Returns the key of the names of texts that are searched for the same things, which `scope` says. */
  deriveKey(scope: string): Uint8Array {
    return new Bun.CryptoHasher("sha256", this.#secret).update(scope).digest();
  }

  /** Returns the name of texts that stand in this order. Null if they aren't remembered. */
  name(key: Uint8Array, texts: readonly SearchedText[]): string | null {
    // The lengths say where each of them ends.
    const heads = texts.map(({ text, before = "" }) => `${before.length} ${text.length} ${before}`);
    const characters = texts.reduce((sum, { text }, at) => sum + text.length + (heads[at]?.length ?? 0), 0);
    if (characters > CHARACTERS_MAX) return null;
    const bytesMax = UNIT_BYTES * characters;
    const bytes = bytesMax > BYTES ? new Uint8Array(bytesMax) : this.#bytes;
    let end = 0;
    const write = (text: string) => {
      end += ENCODER.encodeInto(text, bytes.subarray(end)).written;
    };
    for (const [at, { text }] of texts.entries()) {
      write(heads[at] ?? "");
      write(text);
    }
    const name = authenticate(key, bytes.subarray(0, end));
    bytes.fill(0, 0, end);
    return name;
  }

  find(name: string, nowMs: number): FoundPlaces | null {
    const known = this.#texts.get(name);
    return known !== undefined && known.untilMs > nowMs ? known.found : null;
  }

  add(name: string, found: FoundPlaces, nowMs: number): void {
    const places = found.reduce((sum, { length }) => sum + length, 0);
    if (places > PLACES_MAX) return;
    this.#forget(name);
    this.#texts.set(name, { found, places, untilMs: nowMs + AGE_MAX_MS });
    this.#places += places;
    while (this.#texts.size > NAMES_MAX || this.#places > ALL_PLACES_MAX) {
      const [oldest = ""] = this.#texts.keys();
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#places -= this.#texts.get(name)?.places ?? 0;
    this.#texts.delete(name);
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
