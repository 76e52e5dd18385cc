// Caches access tokens and role keys: each is fetched once for all waiting calls, renewed before it expires, and never
// shown.
import { Fault } from "../../core/faults/fault.ts";
import type { FetchedToken, TokenRequestPorts } from "./token-http.ts";

/** The longest that calls wait for a token. */
const FETCH_MS = 10_000;
/**
 * Tokens are renewed this long before they expire, while calls keep using the old one. Short-lived ones are renewed
 * halfway.
 */
const EARLY_MS = 300_000;
/** The delay before a failed renewal is retried. */
const AGAIN_MS = 10_000;

/** Rejects with the Fault of a failed request. */
type FetchValue<Source, Value> = (
  source: Source,
  ports: TokenRequestPorts,
  signal: AbortSignal,
) => Promise<FetchedToken<Value>>;

interface HeldToken<Value> {
  readonly value: Value;
  /** On the monotonic clock, like `renewAtMs`. */
  readonly endsAtMs: number;
  renewAtMs: number;
}

/** The state of one source: its token, and the request for the next one. */
interface Slot<Value> {
  held: HeldToken<Value> | null;
  fetching: Promise<HeldToken<Value>> | null;
}

export class Tokens<Source extends object, Value> {
  readonly #fetchValue: FetchValue<Source, Value>;
  readonly #ports: TokenRequestPorts;
  /** By the source object. A reload creates new ones, and the old tokens go with the old ones. */
  readonly #slots = new WeakMap<Source, Slot<Value>>();

  constructor(fetchValue: FetchValue<Source, Value>, ports: TokenRequestPorts) {
    this.#fetchValue = fetchValue;
    this.#ports = ports;
  }

  /** Returns a valid token. Concurrent callers share one request, and its Fault if it fails. */
  async get(source: Source): Promise<Value> {
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

  /** Discards a rejected token, unless it has already been replaced. */
  refuse(source: Source, token: Value): void {
    const slot = this.#slotOf(source);
    if (slot.held?.value === token) slot.held = null;
  }

  #slotOf(source: Source): Slot<Value> {
    const slot = this.#slots.get(source) ?? { held: null, fetching: null };
    this.#slots.set(source, slot);
    return slot;
  }

  #request(source: Source, slot: Slot<Value>): Promise<HeldToken<Value>> {
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

  #hold({ value, lifetimeMs }: FetchedToken<Value>): HeldToken<Value> {
    const nowMs = this.#ports.deadlines.nowMs();
    const earlyMs = Math.min(EARLY_MS, lifetimeMs / 2);
    return { value, endsAtMs: nowMs + lifetimeMs, renewAtMs: nowMs + lifetimeMs - earlyMs };
  }

  async #requestOnce(source: Source): Promise<FetchedToken<Value>> {
    const { deadlines } = this.#ports;
    const abort = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const deadline = deadlines.watch(deadlines.nowMs() + FETCH_MS, {
      late() {
        reject(new Fault("upstream_timeout", "The provider did not answer in time.", { cause: "token" }));
        abort.abort();
      },
    });
    try {
      return await Promise.race([this.#fetchValue(source, this.#ports, abort.signal), late]);
    } finally {
      deadline.clear();
    }
  }
}
