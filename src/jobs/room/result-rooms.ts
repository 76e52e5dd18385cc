// Batches and the room for their results: one that has none waits, says so once, and goes on when there is some.
import type { Batch } from "../../core/batches/batch.ts";
import { endNeedsRoom, endWaitForRoom, waitForRoom, waitsForRoom } from "../job.ts";
import type { JobPorts } from "../ports.ts";
import type { RunningBatch } from "../running-batch.ts";
import { moveOn } from "../validating.ts";
import { AccountRoom } from "./account-room.ts";

type RoomPorts = Pick<JobPorts, "store" | "files" | "clock">;

export class ResultRooms {
  readonly #ports: RoomPorts;
  /** By account. */
  readonly #rooms = new Map<string, AccountRoom>();

  constructor(ports: RoomPorts) {
    this.#ports = ports;
  }

  /** Forgets the accounts without batches. */
  keep(jobs: readonly RunningBatch[]): void {
    const accounts = new Set(jobs.map(({ accountId }) => accountId));
    for (const accountId of this.#rooms.keys()) if (!accounts.has(accountId)) this.#rooms.delete(accountId);
  }

  /** Returns true if the batch may go on. `jobs` are all that run here. */
  async look(job: RunningBatch, jobs: readonly RunningBatch[]): Promise<boolean> {
    const { batch, accountId } = job;
    const isRunning = batch.status === "in_progress";
    if (!isRunning && !endNeedsRoom(batch)) return true;
    const { clock, files } = this.#ports;
    job.room = this.#rooms.getOrInsertComputed(accountId, () => new AccountRoom());
    const own = jobs.filter((one) => one.accountId === accountId);
    const countUnwritten = () => own.reduce((sum, { unwrittenBytes }) => sum + unwrittenBytes, 0);
    await job.room.look(batch, clock.nowMs(), countUnwritten, () => files.measureRoom(accountId));
    const why = job.room.explain(batch);
    const hasChanged = (why !== null) !== waitsForRoom(batch);
    // At the end, the results themselves end the wait.
    if (hasChanged && (why !== null || isRunning)) job.batch = (await this.#note(batch, why)) ?? batch;
    return why === null;
  }

  #note(batch: Batch, why: string | null): Promise<Batch | null> {
    return moveOn(this.#ports, batch, (found, nowMs) =>
      why === null ? endWaitForRoom(found) : waitForRoom(found, why, nowMs),
    );
  }
}
