// The address that a provider is called at, shared by its models and credentials, and whether connections to it succeed.
import { Breaker } from "./breaker/breaker.ts";

/** It counts failed connections alone: no request can cause those, whereas one can cause a model's error. */
export type Address = Breaker;

/** The addresses by provider's name. Providers with one origin share one, and it outlives a reload that still uses it. */
export class Addresses {
  readonly #byOrigin = new Map<string, Address>();
  #byProvider: ReadonlyMap<string, Address> = new Map();

  configure(providers: readonly { readonly name: string; readonly baseUrl: string }[]): void {
    const origins = providers.map(({ name, baseUrl }) => [name, new URL(baseUrl).origin] as const);
    const used = new Set(origins.map(([, origin]) => origin));
    for (const origin of this.#byOrigin.keys()) if (!used.has(origin)) this.#byOrigin.delete(origin);
    const find = (origin: string) => this.#byOrigin.getOrInsertComputed(origin, () => new Breaker());
    this.#byProvider = new Map(origins.map(([name, origin]) => [name, find(origin)]));
  }

  /** Returns undefined if the provider is not configured. */
  find(provider: string): Address | undefined {
    return this.#byProvider.get(provider);
  }

  /** The number of addresses that a payer may call now. */
  countAvailable(nowMs: number, payer: string): number {
    let count = 0;
    for (const address of this.#byOrigin.values()) if (address.waitMs(nowMs, payer) === 0) count++;
    return count;
  }

  isAnyUnavailable(nowMs: number, payer: string): boolean {
    for (const address of this.#byOrigin.values()) if (address.waitMs(nowMs, payer) !== 0) return true;
    return false;
  }
}
