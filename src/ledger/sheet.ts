// Tables of which a batch reads and writes single rows: written rows hide the rows as read.
import type { DeletedRow } from "../core/decision.ts";
import { makeRowId } from "../core/rows.ts";

const NONE: readonly never[] = Object.freeze([]);

type RowSource<Row> = Pick<ReadonlyMap<string, Row | null>, "get">;

export class Sheet<Row> {
  readonly #read: RowSource<Row>;
  readonly #put = new Map<string, Row>();

  constructor(read: RowSource<Row>) {
    this.#read = read;
  }

  get(id: string): Row | null {
    return this.#put.get(id) ?? this.#read.get(id) ?? null;
  }

  put(id: string, row: Row): void {
    this.#put.set(id, row);
  }

  drop(id: string): void {
    this.#put.delete(id);
  }

  /** True if the row was made in this batch. */
  isNew(id: string): boolean {
    return this.#put.has(id) && !this.#read.get(id);
  }

  get changed(): readonly Row[] {
    return [...this.#put.values()];
  }

  /** The written rows, each with the one that the store has instead. */
  get changes(): readonly { readonly row: Row; readonly before: Row | null }[] {
    return [...this.#put].map(([id, row]) => ({ row, before: this.#read.get(id) ?? null }));
  }

  /** The written rows that the store has, or that it lacks. */
  changedWhere(isStored: boolean): readonly Row[] {
    if (this.#put.size === 0) return NONE;
    const chosen: Row[] = [];
    for (const [id, row] of this.#put) if (this.isNew(id) !== isStored) chosen.push(row);
    return chosen;
  }
}

/** A table whose rows may also be removed. Their ids are unique within an account. */
export class RemovableSheet<Row extends DeletedRow> {
  readonly #rows: Sheet<Row>;
  /** Made for the first one: most batches remove none. */
  #gone: Map<string, DeletedRow> | null = null;

  constructor(read: RowSource<Row>) {
    this.#rows = new Sheet(read);
  }

  get(named: DeletedRow): Row | null {
    const id = makeRowId(named);
    return this.#gone?.has(id) ? null : this.#rows.get(id);
  }

  put(row: Row): void {
    const id = makeRowId(row);
    this.#gone?.delete(id);
    this.#rows.put(id, row);
  }

  remove(row: Row): void {
    const id = makeRowId(row);
    const isNew = this.#rows.isNew(id);
    this.#rows.drop(id);
    if (isNew) return;
    this.#gone ??= new Map();
    this.#gone.set(id, { accountId: row.accountId, id: row.id });
  }

  get changed(): readonly Row[] {
    return this.#rows.changed;
  }

  get gone(): readonly DeletedRow[] {
    return this.#gone === null ? NONE : [...this.#gone.values()];
  }
}
