// Keeps a value for each of the keys that were used last.

interface RecentBounds<Value> {
  readonly count: number;
  /** The most that all values may hold together. */
  readonly bytes: number;
  readonly countBytes: (values: Iterable<Value>) => number;
}

export class RecentValues<Value> {
  readonly #values = new Map<string, Value>();
  readonly #bounds: RecentBounds<Value>;

  constructor(bounds: RecentBounds<Value>) {
    this.#bounds = bounds;
  }

  /** Returns the key's value, made if there is none. The ones that were used longest ago go when one is made. */
  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (known === undefined) this.#dropOldest();
    return value;
  }

  /** The one that was just made stays. */
  #dropOldest(): void {
    const { count, bytes, countBytes } = this.#bounds;
    for (const key of this.#values.keys()) {
      const isWithin = this.#values.size <= count && countBytes(this.#values.values()) <= bytes;
      if (isWithin || this.#values.size === 1) return;
      this.#values.delete(key);
    }
  }
}
