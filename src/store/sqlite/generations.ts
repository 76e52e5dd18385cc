// A map that keeps what was used lately: entries that weren't for a whole generation are forgotten together.

export class Generations<Value> {
  readonly #entriesMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** Between one and two times as many entries are kept. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  readonly get = (id: string): Value | undefined => {
    const young = this.#young.get(id);
    if (young !== undefined) return young;
    const old = this.#old.get(id);
    if (old === undefined) return undefined;
    this.#old.delete(id);
    this.#young.set(id, old);
    return old;
  };

  readonly set = (id: string, value: Value): void => {
    this.#young.set(id, value);
  };

  readonly delete = (id: string): boolean => this.#young.delete(id) || this.#old.delete(id);

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  /** Begins the next generation if this one is full. Only now is anything forgotten: what was got since the last time stays. */
  turn(): void {
    if (this.#young.size < this.#entriesMax) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
