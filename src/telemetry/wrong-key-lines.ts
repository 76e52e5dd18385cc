// Bounds the log lines of requests with wrong keys: anybody can send those, and a full disk would stop everybody else's.
import type { Clock, Log, LogEvent } from "../core/world/world.ts";

/** Enough for each client that has an old key. */
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export class WrongKeyLines {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #write: Log;
  #minute = 0;
  #written = 0;
  #unwritten = 0;

  constructor(clock: Pick<Clock, "nowMs">, write: Log) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Writes the event, unless the minute has had its wrong keys. Those are counted, and their number is written later. */
  readonly write: Log = (event) => {
    if (!isWrongKey(event)) return this.#write(event);
    const minute = Math.floor(this.#clock.nowMs() / MINUTE_MS);
    if (minute !== this.#minute) this.#begin(minute);
    if (this.#written++ < PER_MINUTE) this.#write(event);
    else if (this.#unwritten++ === 0) this.#tell(0);
  };

  #begin(minute: number): void {
    if (this.#unwritten > 0) this.#tell(this.#unwritten);
    this.#minute = minute;
    this.#written = 0;
    this.#unwritten = 0;
  }

  /** At the first, their number isn't known yet. */
  #tell(count: number): void {
    this.#write({ event: "wrong_keys_unlogged", level: "warn", ...(count === 0 ? {} : { count }) });
  }
}

function isWrongKey({ refusal }: LogEvent): boolean {
  return refusal !== undefined && refusal.keyId === null && refusal.code === "invalid_api_key";
}
