// The files and batches whose pieces turned out to be missing or damaged, for the operator: until they are deleted, or a day on.
import type { StoredObject } from "../core/batches/file.ts";
import type { Clock, Log } from "../core/world/world.ts";

const DAY_MS = 86_400_000;
/** Beyond this many, the log alone names them. */
const NOTED_MAX = 1000;

interface MissingPorts {
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

export class MissingPieces {
  readonly #ports: MissingPorts;
  /** By account and object, with the time when it was noticed. */
  readonly #noted = new Map<string, number>();

  constructor(ports: MissingPorts) {
    this.#ports = ports;
  }

  note({ accountId, object }: StoredObject, reason: string): void {
    const name = nameObject({ accountId, object });
    if (this.#noted.has(name)) return;
    if (this.#noted.size < NOTED_MAX) this.#noted.set(name, this.#ports.clock.nowMs());
    this.#ports.log({ event: "file_missing", level: "error", account_id: accountId, object, cause: reason });
  }

  /** It was deleted, with what was missing of it. */
  forget(object: StoredObject): void {
    this.#noted.delete(nameObject(object));
  }

  /** Says in words that anyone may read how many there are. Null if there are none. */
  explain(): string | null {
    const sinceMs = this.#ports.clock.nowMs() - DAY_MS;
    for (const [name, atMs] of this.#noted) if (atMs < sinceMs) this.#noted.delete(name);
    const count = this.#noted.size;
    if (count === 0) return null;
    const what = count === 1 ? "a file or batch" : `${count} files or batches`;
    return `files: pieces of ${what} are missing or damaged; the log names them`;
  }
}

function nameObject({ accountId, object }: StoredObject): string {
  return JSON.stringify([accountId, object]);
}
