// Remembers what was found in texts of the last minutes: most of a conversation is the same in its next turn.
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

interface KnownText {
  readonly found: readonly Match[];
  readonly untilMs: number;
}

/** Places by a keyed digest of the text: neither the text nor a value in it is kept. */
export class KnownPlaces {
  readonly #secret: Uint8Array;
  /** The oldest first. */
  readonly #places = new Map<string, KnownText>();
  #count = 0;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Returns the text's name. Null if it isn't remembered. `scope` says who searches, and for what. */
  name(scope: string, before: string, text: string): string | null {
    if (text.length < CHARACTERS_MIN || text.length > CHARACTERS_MAX) return null;
    // JSON says where each of them ends.
    const head = JSON.stringify([scope, before]);
    // An HMAC. Node's takes half as much time again.
    return new Bun.CryptoHasher("sha256", this.#secret).update(head).update(text).digest("base64");
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
