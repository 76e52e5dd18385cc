// A batch of decisions: the rows that it writes, and how its changes are kept or taken back.
import type { Checkout } from "../core/books/checkout.ts";
import type { Entry } from "../core/books/journal.ts";
import type { Movement } from "../core/books/movement.ts";
import type { Decision, DeletedRow, Rows } from "../core/decision.ts";
import type { Answer } from "../core/demand.ts";
import type { OutboxEvent } from "../core/events/events.ts";
import type { Account } from "../core/keys/key.ts";
import type { KeptReply } from "../core/log/kept.ts";
import { CallTotals } from "../core/log/provider-call.ts";
import type { RequestRecord } from "../core/log/record.ts";
import type { Cell } from "../core/pages.ts";
import type { Hold, Meter, OwnerState, Spend } from "../core/rows.ts";
import type { RemovableSheet, Sheet } from "./sheet.ts";
import { UsageSums } from "./usage-sums.ts";

/** Shared by all tables that a batch doesn't write, which are most. */
const NOTHING: readonly never[] = Object.freeze([]);

let batches = 0;

/** Changes that most batches have none of. */
interface RareChanges {
  replies?: RemovableSheet<KeptReply>;
  movements?: Sheet<Movement>;
  checkouts?: Sheet<Checkout>;
  states?: Set<string>;
  entries?: Entry[];
}

/** The rows of a batch without any of them. */
const NO_RARE_ROWS: Pick<Decision, keyof RareChanges | "repliesGone"> = Object.freeze({
  states: NOTHING,
  entries: NOTHING,
  replies: NOTHING,
  repliesGone: NOTHING,
  movements: NOTHING,
  checkouts: NOTHING,
});

function listRare(
  { replies, movements, checkouts, states, entries }: RareChanges,
  accounts: readonly Account[],
): typeof NO_RARE_ROWS {
  return {
    states: states === undefined ? NOTHING : accounts.filter(({ id }) => states.has(id)),
    entries: entries ?? NOTHING,
    replies: replies?.changed ?? NOTHING,
    repliesGone: replies?.gone ?? NOTHING,
    movements: movements?.changed ?? NOTHING,
    checkouts: checkouts?.changed ?? NOTHING,
  };
}

/**
 * The changes that a batch has made to rows, so that each can be taken back. The lists are used again for each batch: a change makes
 * no object but its row.
 */
class UndoLog {
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

export class Batch {
  readonly #rows: Rows;
  readonly log = new UndoLog();
  /** Cells of changed rows. */
  readonly accounts: Cell<Account>[] = [];
  readonly spends: Cell<Spend>[] = [];
  readonly meters: Cell<Meter>[] = [];
  readonly owners: Cell<OwnerState>[] = [];
  readonly holds: Cell<Hold>[] = [];
  readonly sums = new UsageSums();
  readonly calls = new CallTotals();
  readonly events: OutboxEvent[] = [];
  requests: Sheet<RequestRecord> | null = null;
  #rare: RareChanges | null = null;
  /** False once the changes were kept or taken back. */
  #isOpen = false;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Made once there is something in it. */
  get rare(): RareChanges {
    this.#rare ??= {};
    return this.#rare;
  }

  /** Begins the next batch. Throws if the last one was neither kept nor taken back: its rows may not be the store's. */
  begin(): void {
    if (this.#isOpen) throw new Error("The last batch was neither kept nor taken back.");
    this.#isOpen = true;
    this.log.begin(++batches);
  }

  readonly keep = (): void => {
    for (const { row, before } of this.holds) if (row === null && before) this.#rows.holds.delete(before.id);
    this.log.clear();
    this.#clear();
  };

  readonly takeBack = (): void => {
    for (const { row, before } of this.holds) if (row && before === null) this.#rows.holds.delete(row.id);
    this.log.takeBack();
    this.#clear();
  };

  #clear(): void {
    this.#isOpen = false;
    for (const cells of [this.accounts, this.spends, this.meters, this.owners, this.holds]) cells.length = 0;
    this.sums.clear();
    this.calls.sums.length = 0;
    this.events.length = 0;
    this.requests = null;
    this.#rare = null;
  }

  /** A hold that was made and settled in the same batch was never in the store. */
  #listGone(): readonly DeletedRow[] {
    let gone: DeletedRow[] | null = null;
    for (const { row, before } of this.holds) {
      if (row !== null || before === null) continue;
      gone ??= [];
      gone.push(before);
    }
    return gone ?? NOTHING;
  }

  /** Returns the rows to write and the answers to send once they are committed. */
  close(answers: readonly Answer[]): Decision {
    const { keep, takeBack, requests, sums, calls, events } = this;
    const accounts = listRows(this.accounts);
    return {
      keep,
      takeBack,
      answers,
      accounts,
      spends: listRows(this.spends),
      meters: listRows(this.meters),
      owners: listRows(this.owners),
      holds: listRows(this.holds),
      holdsGone: this.#listGone(),
      requests: requests?.changedWhere(false) ?? NOTHING,
      requestsAmended: requests?.changedWhere(true) ?? NOTHING,
      ...(this.#rare === null ? NO_RARE_ROWS : listRare(this.#rare, accounts)),
      usage: sums.usage,
      tagUsage: sums.tagUsage,
      tagsOfDays: sums.tagsOfDays,
      firstTokens: sums.firstTokens,
      calls: calls.sums,
      events,
    };
  }
}

/** Returns the changed rows that are still there. */
function listRows<Row extends object>(cells: readonly Cell<Row>[]): readonly Row[] {
  if (cells.length === 0) return NOTHING;
  const rows: Row[] = [];
  for (const { row } of cells) if (row !== null) rows.push(row);
  return rows;
}
