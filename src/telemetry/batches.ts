// The items that wait for a collector, in the bodies that they will be sent in. Both their number and their bytes are bounded.
import { JsonBytes } from "./json-bytes.ts";
import type { Envelope } from "./otlp-json.ts";

const BATCH_ITEMS_MAX = 512;
/** Collectors refuse requests of more than a few megabytes. */
const BATCH_BYTES_MAX = 2_000_000;
/** The queue is bounded by both, since items with prompts are large. Beyond either, new items are dropped. */
const WAITING_ITEMS_MAX = 8192;
const WAITING_BYTES_MAX = 16_000_000;

export interface ExportBatch {
  /** Valid until the next batch is taken out. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The number of items. */
  readonly count: number;
}

/** `bytes` are those of the items, with their commas. */
interface SizedBatch extends ExportBatch {
  readonly bytes: number;
}

export class ExportBatches {
  readonly #envelope: Envelope;
  readonly #full: SizedBatch[] = [];
  /** The batch that is being filled. */
  #open = new JsonBytes();
  /** The one that was taken out last. New memory for each would take as much time as all that is written into it. */
  #taken = new JsonBytes();
  #openCount = 0;
  #count = 0;
  #bytes = 0;

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
    this.#begin();
  }

  /** The number of items. */
  get count(): number {
    return this.#count;
  }

  /** True if so much waits that no more fits into a batch. */
  get hasFull(): boolean {
    const isFull = this.#openCount >= BATCH_ITEMS_MAX || this.#open.length >= BATCH_BYTES_MAX;
    return this.#full.length > 0 || isFull;
  }

  /** Takes items that stand one after the other, each with a comma behind it. False if there is no room for them. */
  add(items: Uint8Array, count: number): boolean {
    const isOver = this.#count + count > WAITING_ITEMS_MAX || this.#bytes + items.length > WAITING_BYTES_MAX;
    if (isOver) return false;
    const fits =
      this.#openCount + count <= BATCH_ITEMS_MAX && this.#open.length + items.length <= BATCH_BYTES_MAX;
    if (!fits && this.#openCount > 0) this.#full.push(this.#copyOpen());
    this.#open.piece(items);
    this.#openCount += count;
    this.#count += count;
    this.#bytes += items.length;
    return true;
  }

  /** Takes out the oldest batch. Null if nothing waits. */
  take(): ExportBatch | null {
    const batch = this.#full.shift() ?? (this.#openCount > 0 ? this.#takeOpen() : null);
    if (batch === null) return null;
    this.#count -= batch.count;
    this.#bytes -= batch.bytes;
    return batch;
  }

  /** Forgets all items. */
  clear(): void {
    this.#full.length = 0;
    this.#count = 0;
    this.#bytes = 0;
    this.#begin();
  }

  #takeOpen(): SizedBatch {
    const batch = this.#close();
    [this.#open, this.#taken] = [this.#taken, this.#open];
    this.#begin();
    return batch;
  }

  /** For a batch that has to wait. */
  #copyOpen(): SizedBatch {
    const batch = { ...this.#close(), body: this.#open.copy() };
    this.#begin();
    return batch;
  }

  #close(): SizedBatch {
    const bytes = this.#open.length - this.#envelope.head.length;
    this.#open.dropComma();
    this.#open.piece(this.#envelope.tail);
    return { body: this.#open.view(), count: this.#openCount, bytes };
  }

  #begin(): void {
    this.#open.reset();
    this.#open.piece(this.#envelope.head);
    this.#openCount = 0;
  }
}
