// The access tokens and keys of roles in use: each is fetched once for all calls that wait for it, renewed before its end, and never shown.
import { Fault } from "../../core/fault.ts";
import type { Deadlines } from "../../core/world.ts";
import type { Fetched, TokenRequestPorts } from "./token-requests.ts";

export interface TokenPorts extends TokenRequestPorts {
  readonly deadlines: Deadlines;
}

/** The longest that calls wait for a token. */
const FETCH_MS = 10_000;
/** A token is renewed so long before its end, while calls go on with the old one; a short-lived one after half of its time. */
const EARLY_MS = 300_000;
/** A renewal that failed is repeated after this time. */
const AGAIN_MS = 10_000;

/** Rejects with the Fault of a request that fails. */
type FetchValue<Source, Value> = (
  source: Source,
  ports: TokenRequestPorts,
  signal: AbortSignal,
) => Promise<Fetched<Value>>;

interface Held<Value> {
  readonly value: Value;
  /** On the monotonic clock, as `renewAtMs`. */
  readonly endsAtMs: number;
  renewAtMs: number;
}

/** The state of one source: its token, and the request for the next one. */
interface Slot<Value> {
  held: Held<Value> | null;
  fetching: Promise<Held<Value>> | null;
}

export class Tokens<Source extends object, Value> {
  readonly #fetchValue: FetchValue<Source, Value>;
  readonly #ports: TokenPorts;
  /** By the source's own object: a reload makes new ones, and the old ones' tokens go with them. */
  readonly #slots = new WeakMap<Source, Slot<Value>>();

  constructor(fetchValue: FetchValue<Source, Value>, ports: TokenPorts) {
    this.#fetchValue = fetchValue;
    this.#ports = ports;
  }

  /** Returns a valid token. Rejects with the Fault of the request for it, which all that wait for it share. */
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

  /** Forgets a token that the provider has refused, unless another one has taken its place already. */
  refuse(source: Source, token: Value): void {
    const slot = this.#slotOf(source);
    if (slot.held?.value === token) slot.held = null;
  }

  #slotOf(source: Source): Slot<Value> {
    const slot = this.#slots.get(source) ?? { held: null, fetching: null };
    this.#slots.set(source, slot);
    return slot;
  }

  #request(source: Source, slot: Slot<Value>): Promise<Held<Value>> {
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

  #hold({ value, lifetimeMs }: Fetched<Value>): Held<Value> {
    const nowMs = this.#ports.deadlines.nowMs();
    const earlyMs = Math.min(EARLY_MS, lifetimeMs / 2);
    return { value, endsAtMs: nowMs + lifetimeMs, renewAtMs: nowMs + lifetimeMs - earlyMs };
  }

  async #requestOnce(source: Source): Promise<Fetched<Value>> {
    const { deadlines } = this.#ports;
    const abort = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const deadline = deadlines.watch(deadlines.nowMs() + FETCH_MS, () => {
      reject(new Fault("upstream_timeout", "The provider did not answer in time.", { cause: "token" }));
      abort.abort();
    });
    try {
      return await Promise.race([this.#fetchValue(source, this.#ports, abort.signal), late]);
    } finally {
      deadline.clear();
    }
  }
}
