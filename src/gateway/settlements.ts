// Settlements on their way to the store: written at once, or again and again until the store can be used.
import { faultOf } from "../core/fault.ts";
import type { Clock, Log } from "../core/world.ts";
import type { Grant, Ledger, Outcome } from "../ledger/ledger.ts";
import type { Deadlines } from "./deadlines.ts";

/** How long an answer's last part waits for its row. */
const PATIENCE_MS = 1000;
const RETRY_MS = 1000;
/** What waits beyond this is given up, the oldest first: its place stays taken and its row is missing. */
const WAITING_MAX = 50_000;

interface Waiting {
  readonly grant: Grant;
  readonly outcome: Outcome;
}

interface SettlementPorts {
  readonly ledger: Pick<Ledger, "settle">;
  readonly clock: Pick<Clock, "after">;
  readonly deadlines: Deadlines;
  readonly log: Log;
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

  /** Resolves when it is written, or after a second; it is written in any case, once. Never rejects. */
  async add(grant: Grant, outcome: Outcome): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = this.#ports.deadlines.watch(this.#ports.deadlines.nowMs() + PATIENCE_MS, resolve);
    void this.#write({ grant, outcome }).then(() => resolve());
    await promise;
    patience.clear();
  }

  /** False when it failed; when the store could not be used it is tried again later. Its id makes repeating harmless. */
  async #write(waiting: Waiting): Promise<boolean> {
    this.#underWay++;
    try {
      await this.#ports.ledger.settle(waiting.grant, waiting.outcome);
      return true;
    } catch (error) {
      const { log } = this.#ports;
      log({ event: "settle_failed", level: "error", id: waiting.grant.id, cause: String(error) });
      // What the store refuses for good would only be refused again.
      if (faultOf(error).code === "store_unavailable") this.#keep(waiting);
      else log({ event: "settle_lost", level: "error", id: waiting.grant.id });
      return false;
    } finally {
      this.#underWay--;
    }
  }

  #keep(waiting: Waiting): void {
    this.#failed.push(waiting);
    if (this.#failed.length > WAITING_MAX) {
      const lost = this.#failed.shift();
      this.#ports.log({ event: "settle_lost", level: "error", id: lost?.grant.id ?? "" });
    }
    if (this.#retrying) return;
    this.#retrying = true;
    this.#ports.clock.after(RETRY_MS, () => void this.#retry());
  }

  /** The oldest goes first; while it fails, so would the others. */
  async #retry(): Promise<void> {
    for (let next = this.#failed.shift(); next; next = this.#failed.shift()) {
      if (!(await this.#write(next))) break;
    }
    this.#retrying = false;
    if (this.#failed.length === 0) return;
    this.#retrying = true;
    this.#ports.clock.after(RETRY_MS, () => void this.#retry());
  }
}
