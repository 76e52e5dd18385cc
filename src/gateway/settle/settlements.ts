// Settlements on their way to the store, retried until the store works again.

import type { SettlementAnswer } from "../../core/demand.ts";
import { FAULTS, toFault } from "../../core/faults/fault.ts";
import type { Clock, Deadline, Deadlines, Latecomer, Log } from "../../core/world/world.ts";
import type { Ledger, Ticket } from "../../ledger/ledger.ts";
import { makeLostOutcome, type Outcome } from "../../ledger/outcome.ts";

const RETRY_MS = 1000;
/** If this many accounts' settlements fail, the whole store is probably away, and the rest waits. */
const ACCOUNTS_AWAY_MAX = 3;
/** Beyond this many, the oldest settlements are dropped: their requests are settled as lost. */
const WAITING_MAX = 50_000;

interface SettlementPorts {
  readonly ledger: Pick<Ledger, "settle">;
  readonly clock: Pick<Clock, "after">;
  readonly deadlines: Deadlines;
  readonly log: Log;
}

/** A settlement that has not been written yet. */
class PendingSettlement implements Latecomer {
  readonly ticket: Ticket;
  /** The outcome to write. It may change until then. */
  outcome: Outcome;
  /** True while it is being written. */
  isUnderWay = false;
  readonly #orElse: (() => Outcome) | null;
  readonly #resolve: (settled: SettlementAnswer | null) => void;
  /** Until when its client is patient. */
  readonly #patience: Deadline;
  /** True if the client's patience was over during a write. */
  #isLate = false;

  constructor(
    ticket: Ticket,
    outcome: Outcome,
    orElse: (() => Outcome) | null,
    resolve: (settled: SettlementAnswer | null) => void,
    deadlines: Deadlines,
    patienceMs: number,
  ) {
    this.ticket = ticket;
    this.outcome = outcome;
    this.#orElse = orElse;
    this.#resolve = resolve;
    this.#patience = deadlines.watch(deadlines.nowMs() + patienceMs, this);
  }

  late(): void {
    if (this.#orElse !== null && this.isUnderWay) this.#isLate = true;
    else this.#giveUp();
  }

  /** With null if the result is not known in time. */
  resolve(settled: SettlementAnswer | null): void {
    this.#patience.clear();
    this.#resolve(settled);
  }

  /** The write has failed. */
  fail(): void {
    this.isUnderWay = false;
    if (this.#isLate) this.#giveUp();
  }

  #giveUp(): void {
    this.#isLate = false;
    this.outcome = this.#orElse?.() ?? this.outcome;
    this.resolve(null);
  }
}

export class Settlements {
  readonly #ports: SettlementPorts;
  /** Those of each account in the order in which they came. */
  #failed: PendingSettlement[] = [];
  #underWay = 0;
  /** The completions whose settlements are being written. */
  readonly #writing = new Set<string>();
  #retrying = false;

  constructor(ports: SettlementPorts) {
    this.#ports = ports;
  }

  /** The number of settlements not written yet. */
  get waiting(): number {
    return this.#underWay + this.#failed.length;
  }

  listIds(): readonly string[] {
    return [...this.#writing, ...this.#failed.map(({ ticket }) => ticket.ask.id)];
  }

  /**
   * Resolves with null if the result is not known in time. The settlement is written once in any case: `orElse` gives
   * the outcome to write after that, when the client no longer gets the answer. With it, a write under way is waited
   * for, which the store bounds: it may be what the client is charged. Never rejects.
   */
  add(
    ticket: Ticket,
    outcome: Outcome,
    patienceMs: number,
    orElse: (() => Outcome) | null = null,
  ): Promise<SettlementAnswer | null> {
    const { deadlines } = this.#ports;
    const { promise, resolve } = Promise.withResolvers<SettlementAnswer | null>();
    const waiting = new PendingSettlement(ticket, outcome, orElse, resolve, deadlines, patienceMs);
    void this.#write(waiting);
    return promise;
  }

  /** Resolves with false on failure. Retried later if the store was down: the id makes repeats harmless. */
  #write(waiting: PendingSettlement): Promise<boolean> {
    const { ticket, outcome } = waiting;
    this.#underWay++;
    this.#writing.add(ticket.ask.id);
    waiting.isUnderWay = true;
    return this.#ports.ledger.settle(ticket, outcome).then(
      (settled) => {
        this.#end(ticket);
        waiting.isUnderWay = false;
        this.report(outcome, settled);
        waiting.resolve(settled);
        return true;
      },
      (error: unknown) => {
        this.#end(ticket);
        waiting.fail();
        this.#fail(waiting, error);
        return false;
      },
    );
  }

  #end({ ask }: Ticket): void {
    this.#underWay--;
    this.#writing.delete(ask.id);
  }

  #fail(waiting: PendingSettlement, error: unknown): void {
    const { code, details } = toFault(error);
    const cause = details.reason ?? String(error);
    this.#ports.log({ event: "settle_failed", level: "error", id: waiting.ticket.ask.id, cause });
    // If the store rejected the settlement itself, a retry would be rejected too.
    if (code === "store_unavailable") this.#keep(waiting);
    else this.#lose(waiting);
  }

  /** Logs a request that was settled. */
  report(
    { record, gatewayMs }: Pick<Outcome, "record" | "gatewayMs">,
    { chargedNanoUsd, holdNanoUsd, writtenOffNanoUsd, late }: SettlementAnswer,
  ): void {
    this.#ports.log({
      event: "request",
      // The operator should know: another process had taken this one for dead.
      level: late ? "warn" : "info",
      record: { ...record, chargedNanoUsd, holdNanoUsd, isLate: late },
      written_off_nano_usd: writtenOffNanoUsd,
      late,
      gateway_ms: gatewayMs === undefined ? undefined : Math.round(gatewayMs * 1000) / 1000,
    });
  }

  #lose(waiting: PendingSettlement | undefined): void {
    this.#ports.log({ event: "settle_lost", level: "error", id: waiting?.ticket.ask.id ?? "" });
    waiting?.resolve(null);
  }

  #keep(waiting: PendingSettlement): void {
    this.#failed.push(waiting);
    if (this.#failed.length > WAITING_MAX) this.#lose(this.#failed.shift());
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#retrying || this.#failed.length === 0) return;
    this.#retrying = true;
    this.#ports.clock.after(RETRY_MS, () => void this.#retry());
  }

  /**
   * Oldest first, and each at most once. Once one fails, the others of its account wait: they would fail too, while those of
   * accounts on another machine of the store may not.
   */
  async #retry(): Promise<void> {
    const away = new Set<string>();
    for (let left = this.#failed.length; left > 0 && away.size < ACCOUNTS_AWAY_MAX; left--) {
      const at = this.#failed.findIndex(({ ticket }) => !away.has(ticket.ask.key.accountId));
      const [next] = at === -1 ? [] : this.#failed.splice(at, 1);
      if (next === undefined) break;
      if (await this.#write(next)) continue;
      away.add(next.ticket.ask.key.accountId);
      this.#moveBack(next);
    }
    this.#retrying = false;
    this.#retryLater();
  }

  /** The next retry begins with other accounts. */
  #moveBack(failed: PendingSettlement): void {
    const { accountId } = failed.ticket.ask.key;
    const isLater = (one: PendingSettlement) => one !== failed && one.ticket.ask.key.accountId === accountId;
    const later = this.#failed.filter(isLater);
    this.#failed = [...this.#failed.filter((one) => !isLater(one)), ...later];
  }
}

/** Returns the row of an answer that was withheld because its settlement could not be written: it costs nothing. */
export function makeWithheldOutcome({ record }: Outcome, answers: number): Outcome {
  const { status } = FAULTS.store_unavailable;
  return makeLostOutcome({ ...record, ended: "lost", status, faultCode: "store_unavailable" }, answers);
}
