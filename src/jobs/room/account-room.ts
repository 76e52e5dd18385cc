// The room that an account has left for results, as far as this node knows.
import type { Batch } from "../../core/batches/batch.ts";
import type { RoomLeft } from "../../files/port.ts";
import { waitsForRoom } from "../job.ts";

/** The room is looked at this often while there is plenty. */
const LOOK_MS = 5000;
/** Or at each look of the runner, where less than this is left: other nodes take from it, too. */
const NEAR = { bytes: 64_000_000, files: 200 };
/** The batches of an account that are looked at together share what was found. */
const SHARED_MS = 500;

export class AccountRoom {
  #left: RoomLeft | null = null;
  /** Taken by results that the last look didn't see. */
  #taken = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Takes room for the result of a line, which is in memory until it is written. */
  take(bytes: number): void {
    this.#taken += bytes;
  }

  /** Looks again, if that is worth it. `unwrittenBytes` are those that the store doesn't count yet. */
  async look(
    batch: Batch,
    nowMs: number,
    unwrittenBytes: () => number,
    measure: () => Promise<RoomLeft>,
  ): Promise<void> {
    const isPlenty = this.#bytes >= NEAR.bytes && (this.#left?.files ?? 0) >= NEAR.files;
    // A look before its last results were written says nothing about its end.
    const isNew = batch.status === "finalizing" && !waitsForRoom(batch);
    if (!isNew && nowMs < this.#lookedMs + (isPlenty ? LOOK_MS : SHARED_MS)) return;
    const takenBefore = this.#taken;
    const unwritten = unwrittenBytes();
    this.#left = await measure();
    this.#taken += unwritten - takenBefore;
    this.#lookedMs = nowMs;
  }

  /** True if one more line of the batch may start. */
  hasRoomFor(batch: Batch): boolean {
    return this.#left !== null && this.#bytes > 0 && this.#left.files >= countFiles(batch);
  }

  /** Returns why the batch doesn't go on. Null if it does. */
  explain(batch: Batch): string | null {
    return this.#left?.lacks(batch.status === "finalizing" ? 0 : 1, countFiles(batch)) ?? null;
  }

  get #bytes(): number {
    return (this.#left?.bytes ?? 0) - this.#taken;
  }
}

/** Counts the files that the results become. While the batch runs, only one is sure. */
function countFiles({ surface, status, detail }: Batch): number {
  if (surface !== "openai-batches") return 0;
  const { total, completed } = detail.counts;
  return status === "finalizing" && completed > 0 && completed < total ? 2 : 1;
}
