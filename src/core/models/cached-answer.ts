// Kept answers, and their port to the store.

export interface CachedAnswer {
  readonly accountId: string;
  /** A keyed digest of everything that the answer depends on. */
  readonly id: string;
  readonly atMs: number;
  readonly untilMs: number;
  /** The size of `sealed`. */
  readonly bytes: number;
  /** The answer, encrypted. */
  readonly sealed: string;
}

export interface CacheStore {
  /** Returns the account's answers under these ids. */
  find(accountId: string, ids: readonly string[]): Promise<readonly CachedAnswer[]>;
  /** Keeps an answer in the place of an earlier one under its id. */
  keep(answer: CachedAnswer): Promise<void>;
  /** Deletes the oldest answers, of an account or of all, until at most this many bytes are left. */
  trim(bytesMax: number, accountId?: string): Promise<void>;
  /** Deletes up to this many answers whose time is over. Returns how many. */
  prune(nowMs: number, rowsMax: number): Promise<number>;
}
