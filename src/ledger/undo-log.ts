// The changes that a batch has made to rows, so that each can be taken back.
import type { Cell } from "../core/pages.ts";

/** The lists are used again for each batch: a change makes no object but its row. */
export class UndoLog {
  readonly #cells: Cell<object>[] = [];
  readonly #befores: (object | null)[] = [];
  /** Where the cell was listed as changed, if this was its first change. */
  readonly #lists: (Cell<object>[] | null)[] = [];
  #batch = 0;

  /** Begins a batch. Its number is one that no other batch has had, since cells remember it. */
  begin(batch: number): void {
    this.#batch = batch;
  }

  /** Puts a row in the place of another. At its first change in a batch, the cell is added to `changed`. */
  put<Row extends object>(cell: Cell<Row>, row: Row | null, changed: Cell<Row>[]): void {
    const isFirst = cell.batch !== this.#batch;
    this.#cells.push(cell);
    this.#befores.push(cell.row);
    this.#lists.push(isFirst ? changed : null);
    if (isFirst) {
      cell.batch = this.#batch;
      cell.before = cell.row;
      changed.push(cell);
    }
    cell.row = row;
  }

  /** The number of changes so far. */
  get length(): number {
    return this.#cells.length;
  }

  /** Takes back all changes but the first `length`, the last one first. */
  takeBack(length = 0): void {
    while (this.#cells.length > length) {
      const cell = this.#cells.pop();
      const before = this.#befores.pop() ?? null;
      const list = this.#lists.pop();
      if (cell === undefined) return;
      cell.row = before;
      if (!list) continue;
      cell.batch = 0;
      cell.before = null;
      list.pop();
    }
  }

  /** Forgets all changes: they stay. */
  clear(): void {
    for (const cell of this.#cells) cell.before = null;
    this.#cells.length = 0;
    this.#befores.length = 0;
    this.#lists.length = 0;
  }
}
