// A batch of decisions: the rows that it writes, and how its changes are kept or taken back.
import type { Decision, DeletedRow, Rows } from "../core/decision.ts";
import type { Answer } from "../core/demand.ts";
import type { OutboxEvent } from "../core/events/events.ts";
import type { Account } from "../core/keys/key.ts";
import { CallTotals } from "../core/log/provider-call.ts";
import type { RequestRecord } from "../core/log/record.ts";
import type { Checkout } from "../core/money/checkout.ts";
import type { Movement } from "../core/money/movement.ts";
import type { Cell } from "../core/pages.ts";
import type { Entry, Hold, KeptReply, Meter, OwnerState, Spend } from "../core/rows.ts";
import type { RemovableSheet, Sheet } from "./sheet.ts";
import { UndoLog } from "./undo-log.ts";
import { UsageSums } from "./usage-sums.ts";

/** Shared by all tables that a batch doesn't write, which are most. */
const NOTHING: readonly never[] = Object.freeze([]);

let batches = 0;

export class Batch implements Decision {
  readonly #rows: Rows;
  readonly log = new UndoLog();
  /** Cells of changed rows. */
  readonly accountCells: Cell<Account>[] = [];
  readonly spendCells: Cell<Spend>[] = [];
  readonly meterCells: Cell<Meter>[] = [];
  readonly ownerCells: Cell<OwnerState>[] = [];
  readonly holdCells: Cell<Hold>[] = [];
  readonly sums = new UsageSums();
  readonly callTotals = new CallTotals();
  /** Each is made once there is something in it: most batches have none of them. */
  requestSheet: Sheet<RequestRecord> | null = null;
  replySheet: RemovableSheet<KeptReply> | null = null;
  movementSheet: Sheet<Movement> | null = null;
  checkoutSheet: Sheet<Checkout> | null = null;
  stateIds: Set<string> | null = null;
  entryList: Entry[] | null = null;
  eventList: OutboxEvent[] | null = null;
  answers: readonly Answer[] = NOTHING;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Begins the next batch. One that was not kept was not committed. */
  begin(): void {
    this.takeBack();
    this.log.begin(++batches);
  }

  keep(): void {
    for (const { row, before } of this.holdCells)
      if (row === null && before) this.#rows.holds.delete(before.id);
    this.log.clear();
    this.#clear();
  }

  takeBack(): void {
    for (const { row, before } of this.holdCells) if (row && before === null) this.#rows.holds.delete(row.id);
    this.log.takeBack();
    this.#clear();
  }

  #clear(): void {
    this.accountCells.length = 0;
    this.spendCells.length = 0;
    this.meterCells.length = 0;
    this.ownerCells.length = 0;
    this.holdCells.length = 0;
    this.sums.clear();
    this.callTotals.clear();
    this.requestSheet = null;
    this.replySheet = null;
    this.movementSheet = null;
    this.checkoutSheet = null;
    this.stateIds = null;
    this.entryList = null;
    this.eventList = null;
    this.answers = NOTHING;
  }

  get accounts(): readonly Account[] {
    return listRows(this.accountCells);
  }

  get states(): readonly Account[] {
    const { stateIds } = this;
    return stateIds === null ? NOTHING : this.accounts.filter(({ id }) => stateIds.has(id));
  }

  get spends(): readonly Spend[] {
    return listRows(this.spendCells);
  }

  get meters(): readonly Meter[] {
    return listRows(this.meterCells);
  }

  get owners(): readonly OwnerState[] {
    return listRows(this.ownerCells);
  }

  get holds(): readonly Hold[] {
    return listRows(this.holdCells);
  }

  /** A hold that was made and settled in the same batch was never in the store. */
  get holdsGone(): readonly DeletedRow[] {
    let gone: DeletedRow[] | null = null;
    for (const { row, before } of this.holdCells) {
      if (row !== null || before === null) continue;
      gone ??= [];
      gone.push(before);
    }
    return gone ?? NOTHING;
  }

  get entries(): readonly Entry[] {
    return this.entryList ?? NOTHING;
  }

  get requests(): readonly RequestRecord[] {
    return this.requestSheet?.changedWhere(false) ?? NOTHING;
  }

  get requestsAmended(): readonly RequestRecord[] {
    return this.requestSheet?.changedWhere(true) ?? NOTHING;
  }

  get replies(): readonly KeptReply[] {
    return this.replySheet?.changed ?? NOTHING;
  }

  get repliesGone(): readonly DeletedRow[] {
    return this.replySheet?.gone ?? NOTHING;
  }

  get movements(): readonly Movement[] {
    return this.movementSheet?.changed ?? NOTHING;
  }

  get checkouts(): readonly Checkout[] {
    return this.checkoutSheet?.changed ?? NOTHING;
  }

  get usage(): Decision["usage"] {
    return this.sums.usage;
  }

  get tagUsage(): Decision["tagUsage"] {
    return this.sums.tagUsage;
  }

  get tagsOfDays(): Decision["tagsOfDays"] {
    return this.sums.tagsOfDays;
  }

  get firstTokens(): Decision["firstTokens"] {
    return this.sums.firstTokens;
  }

  get calls(): Decision["calls"] {
    return this.callTotals.sums;
  }

  get events(): readonly OutboxEvent[] {
    return this.eventList ?? NOTHING;
  }
}

/** Returns the changed rows that are still there. */
function listRows<Row extends object>(cells: readonly Cell<Row>[]): readonly Row[] {
  if (cells.length === 0) return NOTHING;
  const rows: Row[] = [];
  for (const { row } of cells) if (row !== null) rows.push(row);
  return rows;
}
