// The rows that decisions are made on, kept between transactions as long as nobody else has written to the file.

import type { GatewayKey } from "../../core/key.ts";
import { type Decision, type Meter, meterIdOf, type Reads, type Rows, type Slot } from "../../core/store.ts";
import { keyOf, meterOf, slotOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

const ENTRIES_MAX = 50_000;

export class RowCache {
  readonly #keys = new Map<string, GatewayKey | null>();
  readonly #meters = new Map<string, Meter | null>();
  readonly #slots = new Map<string, Slot | null>();
  #dataVersion = -1;

  /** Forgets everything: this connection has written rows by another way, or is a new one. */
  clear(): void {
    this.#keys.clear();
    this.#meters.clear();
    this.#slots.clear();
  }

  /**
   * The rows for some demands, read where they are not known. Call it inside the transaction: SQLite's `data_version`
   * changes when any other connection has committed, and from then on nothing known is to be trusted.
   */
  rowsFor(sql: Statements, reads: readonly Reads[]): Rows {
    const dataVersion = sql.dataVersion.get()?.data_version ?? -1;
    const entries = this.#keys.size + this.#meters.size + this.#slots.size;
    if (dataVersion !== this.#dataVersion || entries > ENTRIES_MAX) this.clear();
    this.#dataVersion = dataVersion;
    const requests = new Set<string>();
    for (const read of reads) {
      this.#load(sql, read);
      if (read.requestId !== null && sql.hasRequest.get(read.requestId)) requests.add(read.requestId);
    }
    return { keys: this.#keys, meters: this.#meters, slots: this.#slots, requests };
  }

  /** Takes over the rows that a decision has written. Call it after the commit. */
  keep(decision: Decision): void {
    for (const meter of decision.meters) this.#meters.set(meterIdOf(meter.owner, meter.day), meter);
    for (const slot of decision.slots) this.#slots.set(slot.owner, slot);
  }

  #load(sql: Statements, { keyId, owners, days }: Reads): void {
    if (keyId !== null && !this.#keys.has(keyId)) {
      const row = sql.key.get(keyId);
      this.#keys.set(keyId, row ? keyOf(row) : null);
    }
    for (const owner of owners) {
      if (!this.#slots.has(owner)) {
        const row = sql.slot.get(owner);
        this.#slots.set(owner, row ? slotOf(row) : null);
      }
      for (const day of days) {
        const id = meterIdOf(owner, day);
        if (this.#meters.has(id)) continue;
        const row = sql.meter.get(owner, day);
        this.#meters.set(id, row ? meterOf(row) : null);
      }
    }
  }
}
