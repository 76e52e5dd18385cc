// Rows of one table in memory, by id: those that were used lately.

/** Rows of one table after which those that were not used since as many others were are forgotten. */
export const GENERATION_ROWS = 10_000;

/** null: there is none of that id. */
export class KnownRows<Row> {
  #young = new Map<string, Row | null>();
  #old = new Map<string, Row | null>();

  /** undefined: not known. */
  get(id: string): Row | null | undefined {
    const young = this.#young.get(id);
    if (young !== undefined) return young;
    const old = this.#old.get(id);
    if (old !== undefined) this.#young.set(id, old);
    return old;
  }

  keep(id: string, row: Row | null): void {
    this.#young.set(id, row);
  }

  /** Makes room. Between transactions only: a decision is made on all that its transaction has looked up. */
  age(): void {
    if (this.#young.size < GENERATION_ROWS) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
