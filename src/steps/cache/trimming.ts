// Holds kept answers to their bounds without summing them up for each.
import type { CacheStore } from "../../core/models/cached-answer.ts";
import type { CacheRules } from "../../core/models/caching.ts";

/** A bound is exceeded by at most this share, in each process, before the oldest answers go. */
const SHARE = 1 / 64;
/** More accounts than this are forgotten, and trimmed by a later answer. */
const ACCOUNTS_MAX = 10_000;

interface TrimmingPorts {
  readonly store: Pick<CacheStore, "trim">;
  readonly rules: () => CacheRules;
}

export class Trimming {
  readonly #ports: TrimmingPorts;
  /** Bytes added since the last trim. */
  readonly #ofAccounts = new Map<string, number>();
  #ofAll = 0;

  constructor(ports: TrimmingPorts) {
    this.#ports = ports;
  }

  async add(accountId: string, bytes: number): Promise<void> {
    const { store, rules } = this.#ports;
    const { bytesMax, bytesMaxPerAccount } = rules();
    const added = (this.#ofAccounts.get(accountId) ?? 0) + bytes;
    this.#ofAll += bytes;
    if (this.#ofAccounts.size >= ACCOUNTS_MAX) this.#ofAccounts.clear();
    this.#ofAccounts.set(accountId, added);
    if (added >= bytesMaxPerAccount * SHARE) {
      this.#ofAccounts.delete(accountId);
      await store.trim(bytesMaxPerAccount, accountId);
    }
    if (this.#ofAll < bytesMax * SHARE) return;
    this.#ofAll = 0;
    await store.trim(bytesMax);
  }
}
