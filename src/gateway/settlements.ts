// Settlements on their way to the store: written at once, or again and again until the store can be used.

import { FAULTS, toFault } from "../core/fault.ts";
import type { Clock, Deadline, Deadlines, Log } from "../core/world.ts";
import { type Ledger, lostOutcome, type Outcome, type Settled, type Ticket } from "../ledger/ledger.ts";

const RETRY_MS = 1000;
/** More settlements than this are given up, the oldest first: their holds stay until this process ends. */
const WAITING_MAX = 50_000;

interface SettlementPorts {
  readonly ledger: Pick<Ledger, "settle">;
  readonly clock: Pick<Clock, "after">;
  readonly deadlines: Deadlines;
  readonly log: Log;
}

/** A settlement that is not written yet. */
class Waiting {
  readonly ticket: Ticket;
  /** The outcome that is written when it is its turn. */
  outcome: Outcome;
  /** When it passes, those who wait get `outcomeUnknown`. */
  patience: Deadline | null = null;
  readonly #settled = Promise.withResolvers<Settled | null>();

  constructor(ticket: Ticket, outcome: Outcome) {
    this.ticket = ticket;
    this.outcome = outcome;
  }

  /** The settlement; null: nobody knows yet, or it could not be written. */
  get settled(): Promise<Settled | null> {
    return this.#settled.promise;
  }

  tell(settled: Settled | null): void {
    this.patience?.clear();
    this.#settled.resolve(settled);
  }
}

export class Settlements {
  readonly #ports: SettlementPorts;
  readonly #failed: Waiting[] = [];
  #underWay = 0;
  #retrying = false;

  constructor(ports: SettlementPorts) {
    this.#ports = ports;
  }

  /** Settlements that are not written yet. */
  get waiting(): number {
    return this.#underWay + this.#failed.length;
  }

  /**
   * The settlement, or null when it is not known after so long; it is written in any case, once. With `orElse` that
   * is written from then on: nobody will get the answer. Never rejects.
   */
  add(ticket: Ticket, outcome: Outcome, patienceMs: number, orElse = () => outcome): Promise<Settled | null> {
    const { deadlines } = this.#ports;
    const waiting = new Waiting(ticket, outcome);
    waiting.patience = deadlines.watch(deadlines.nowMs() + patienceMs, () => {
      waiting.outcome = orElse();
      waiting.tell(null);
    });
    void this.#write(waiting);
    return waiting.settled;
  }

  /** False when it failed; when the store could not be used it is tried again later. Its id makes repeating harmless. */
  async #write(waiting: Waiting): Promise<boolean> {
    this.#underWay++;
    const { ticket, outcome } = waiting;
    try {
      const settled = await this.#ports.ledger.settle(ticket, outcome);
      this.#report(outcome, settled);
      waiting.tell(settled);
      return true;
    } catch (error) {
      this.#ports.log({ event: "settle_failed", level: "error", id: ticket.ask.id, cause: String(error) });
      // A settlement that the store refuses for good would only be refused again.
      if (toFault(error).code === "store_unavailable") this.#keep(waiting);
      else this.#lose(waiting);
      return false;
    } finally {
      this.#underWay--;
    }
  }

  #report({ record }: Outcome, { chargedNanoUsd, holdNanoUsd, writtenOffNanoUsd, late }: Settled): void {
    this.#ports.log({
      event: "request",
      level: "info",
      record: { ...record, chargedNanoUsd, holdNanoUsd },
      written_off_nano_usd: writtenOffNanoUsd,
      late,
    });
  }

  #lose(waiting: Waiting | undefined): void {
    this.#ports.log({ event: "settle_lost", level: "error", id: waiting?.ticket.ask.id ?? "" });
    waiting?.tell(null);
  }

  #keep(waiting: Waiting): void {
    this.#failed.push(waiting);
    if (this.#failed.length > WAITING_MAX) this.#lose(this.#failed.shift());
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#retrying || this.#failed.length === 0) return;
    this.#retrying = true;
    this.#ports.clock.after(RETRY_MS, () => void this.#retry());
  }

  /** The oldest goes first; while it fails, so would the others. */
  async #retry(): Promise<void> {
    for (let next = this.#failed.shift(); next; next = this.#failed.shift()) {
      if (!(await this.#write(next))) break;
    }
    this.#retrying = false;
    this.#retryLater();
  }
}

/** The row of an answer that was withheld because its own could not be written: nobody got it, nobody pays. */
export function withheld({ record }: Outcome, answers: number): Outcome {
  const { status } = FAULTS.store_unavailable;
  return lostOutcome({ ...record, ended: "lost", status, faultCode: "store_unavailable" }, answers);
}
