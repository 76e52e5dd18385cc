// The address that a provider is called at: whether connections to it come about, for all of its models and credentials.
import { Breaker } from "./breaker.ts";

export class Address {
  /** Counts connections that did not come about: no client can cause that, as it can an error of a model. */
  readonly breaker = new Breaker();

  /** False while its breaker keeps calls away. */
  isAsked(nowMs: number): boolean {
    return this.breaker.waitMs(nowMs) === 0;
  }
}

/** By provider's name. Those behind one origin share it, and one that stays in use is kept with what is known of it. */
export class Addresses {
  readonly #byOrigin = new Map<string, Address>();
  #byProvider: ReadonlyMap<string, Address> = new Map();

  configured(providers: readonly { readonly name: string; readonly baseUrl: string }[]): void {
    const origins = providers.map(({ name, baseUrl }) => [name, new URL(baseUrl).origin] as const);
    const used = new Set(origins.map(([, origin]) => origin));
    for (const origin of this.#byOrigin.keys()) if (!used.has(origin)) this.#byOrigin.delete(origin);
    this.#byProvider = new Map(origins.map(([name, origin]) => [name, this.#at(origin)]));
  }

  /** undefined: the provider is not on. */
  of(provider: string): Address | undefined {
    return this.#byProvider.get(provider);
  }

  /** The number of addresses that may be called now. */
  asked(nowMs: number): number {
    let count = 0;
    for (const address of this.#byOrigin.values()) if (address.isAsked(nowMs)) count++;
    return count;
  }

  isAnyShut(nowMs: number): boolean {
    for (const address of this.#byOrigin.values()) if (!address.isAsked(nowMs)) return true;
    return false;
  }

  #at(origin: string): Address {
    const address = this.#byOrigin.get(origin) ?? new Address();
    this.#byOrigin.set(origin, address);
    return address;
  }
}
