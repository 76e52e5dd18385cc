// The access tokens in use: each is fetched once for all calls that wait for it, renewed before its end, and never shown.
import { Fault } from "../../core/fault.ts";
import type { TokenSource } from "../../core/token-source.ts";
import type { Deadlines } from "../../core/world.ts";
import { type FetchedToken, fetchToken, type TokenRequestPorts } from "./token-requests.ts";

export interface TokenPorts extends TokenRequestPorts {
  readonly deadlines: Deadlines;
}

/** The longest that calls wait for a token. */
const FETCH_MS = 10_000;
/** A token is renewed so long before its end, while calls go on with the old one; a short-lived one after half of its time. */
const EARLY_MS = 300_000;
/** A renewal that failed is repeated after this time. */
const AGAIN_MS = 10_000;

interface Held {
  readonly value: string;
  /** On the monotonic clock, as `renewAtMs`. */
  readonly endsAtMs: number;
  renewAtMs: number;
}

/** The state of one source: its token, and the request for the next one. */
interface Slot {
  held: Held | null;
  fetching: Promise<Held> | null;
}

export class Tokens {
  readonly #ports: TokenPorts;
  /** By the source's own object: a reload makes new ones, and the old ones' tokens go with them. */
  readonly #slots = new WeakMap<TokenSource, Slot>();

  constructor(ports: TokenPorts) {
    this.#ports = ports;
  }

  /** Returns a valid token. Rejects with the Fault of the request for it, which all that wait for it share. */
  async get(source: TokenSource): Promise<string> {
    const slot = this.#slotOf(source);
    const { held } = slot;
    const nowMs = this.#ports.deadlines.nowMs();
    if (held === null || held.endsAtMs <= nowMs) return (await this.#request(source, slot)).value;
    if (held.renewAtMs <= nowMs && slot.fetching === null) {
      held.renewAtMs = nowMs + AGAIN_MS;
      this.#request(source, slot).catch(() => {});
    }
    return held.value;
  }

  /** Forgets a token that the provider has refused, unless another one has taken its place already. */
  refuse(source: TokenSource, token: string): void {
    const slot = this.#slotOf(source);
    if (slot.held?.value === token) slot.held = null;
  }

  #slotOf(source: TokenSource): Slot {
    const slot = this.#slots.get(source) ?? { held: null, fetching: null };
    this.#slots.set(source, slot);
    return slot;
  }

  #request(source: TokenSource, slot: Slot): Promise<Held> {
    slot.fetching ??= this.#requestOnce(source)
      .then((token) => {
        slot.held = this.#hold(token);
        return slot.held;
      })
      .finally(() => {
        slot.fetching = null;
      });
    return slot.fetching;
  }

  #hold({ value, lifetimeMs }: FetchedToken): Held {
    const nowMs = this.#ports.deadlines.nowMs();
    const earlyMs = Math.min(EARLY_MS, lifetimeMs / 2);
    return { value, endsAtMs: nowMs + lifetimeMs, renewAtMs: nowMs + lifetimeMs - earlyMs };
  }

  async #requestOnce(source: TokenSource): Promise<FetchedToken> {
    const { deadlines } = this.#ports;
    const abort = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const deadline = deadlines.watch(deadlines.nowMs() + FETCH_MS, () => {
      reject(new Fault("upstream_timeout", "The provider did not answer in time.", { cause: "token" }));
      abort.abort();
    });
    try {
      return await Promise.race([fetchToken(source, this.#ports, abort.signal), late]);
    } finally {
      deadline.clear();
    }
  }
}
