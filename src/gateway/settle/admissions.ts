// Duplicate requests (same Idempotency-Key) wait here until the first one has been answered.
import type { AdmissionAnswer } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type Ending, makeTwinTimeout } from "../../core/world/ending.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Ledger, Ticket } from "../../ledger/ledger.ts";

/** The interval for checking whether another node has finished the answer. */
const POLL_MS = 250;
/** More duplicates than this are a client bug or an attack. */
const TWINS_MAX = 100;

type FinalAdmission = Exclude<AdmissionAnswer, { kind: "pending" | "moved" }>;

/** Throws the Fault of a key that is moved from one account to the next. */
export function requireStaying(admitted: Exclude<AdmissionAnswer, { kind: "pending" }>): FinalAdmission {
  if (admitted.kind !== "moved") return admitted;
  const message = "This key is being moved to another account. Please try again.";
  throw new Fault("store_unavailable", message, { retryAfterMs: 1000 });
}

interface AdmissionPorts {
  readonly ledger: Pick<Ledger, "admit" | "look">;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
}

export class Admissions {
  readonly #ports: AdmissionPorts;
  /** Requests waiting for a completion of this process, by the completion's id. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
  }

  /**
   * Admits a request. If its worst case means reading its files, it is first refused if it surely will be. Not async,
   * like `Ledger.admit`.
   */
  admit(ticket: Ticket): Promise<AdmissionAnswer> {
    const { ledger } = this.#ports;
    // A look would not undo the entry of a request that it refuses.
    if (!ticket.ask.leastOffers || ticket.ask.isEntered) return ledger.admit(ticket);
    return this.#lookFirst(ticket);
  }

  #lookFirst(ticket: Ticket): Promise<AdmissionAnswer> {
    const { ledger } = this.#ports;
    return ledger.look(ticket).then(() => ledger.admit(ticket));
  }

  /**
   * Waits until the completion `id` is settled, then calls `again` until the request is admitted or answered. Throws
   * the reason if one of `endings` ends, and `client_timeout` at `limitAtMs`.
   */
  async wait(
    id: string,
    again: () => Ticket,
    endings: readonly Ending[],
    limitAtMs: number,
  ): Promise<FinalAdmission> {
    for (let same = id; ; ) {
      const waitMs = limitAtMs - this.#ports.clock.monotonicMs();
      if (waitMs <= 0) throw makeTwinTimeout();
      await this.#change(same, endings, Math.min(POLL_MS, waitMs));
      const reason = endings.find((one) => one.reason)?.reason;
      if (reason) throw reason;
      const admitted = await this.#ports.ledger.admit(again());
      if (admitted.kind !== "pending") return requireStaying(admitted);
      same = admitted.id;
    }
  }

  /** Call this once a completion is settled: the requests that wait for it try again. */
  wakeTwins(id: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) for (const wake of waiting) wake();
  }

  /** Resolves when the completion may have changed, after `withinMs` at the latest. */
  async #change(id: string, endings: readonly Ending[], withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(id) ?? new Set();
    if (waiting.size >= TWINS_MAX) {
      throw new Fault("overloaded", "Too many requests are waiting for the same Idempotency-Key.");
    }
    this.#waiting.set(id, waiting.add(resolve));
    const callOff = this.#ports.clock.after(withinMs, resolve);
    const left = { end: () => resolve() };
    for (const ending of endings) ending.tell(left);
    await promise;
    callOff();
    for (const ending of endings) ending.forget(left);
    waiting.delete(resolve);
    if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
  }
}
