// Limits how often somebody may change something: it counts each sender's changes of the last minute.

const MINUTE_MS = 60_000;
export const CHANGES_A_MINUTE = 120;
/** Senders are people. Beyond it, those who changed nothing within a minute are forgotten. */
const SENDERS_MAX = 1000;

export class ChangeRate {
  /** The times of each sender's changes, oldest first. */
  readonly #times = new Map<string, number[]>();

  /** Counts a change. Returns null, or the time (Unix milliseconds) at which the next one has a place. */
  take(sender: string, nowMs: number): number | null {
    if (this.#times.size >= SENDERS_MAX) this.#forget(nowMs);
    const times = this.#read(sender, nowMs);
    const [oldest = nowMs] = times;
    if (times.length >= CHANGES_A_MINUTE) return oldest + MINUTE_MS;
    this.#times.set(sender, [...times, nowMs]);
    return null;
  }

  /** The change of that time failed, so it doesn't count. */
  giveBack(sender: string, atMs: number): void {
    const times = this.#times.get(sender) ?? [];
    const at = times.lastIndexOf(atMs);
    if (at !== -1) this.#times.set(sender, times.toSpliced(at, 1));
  }

  #read(sender: string, nowMs: number): readonly number[] {
    return (this.#times.get(sender) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS);
  }

  #forget(nowMs: number): void {
    for (const [sender, times] of this.#times)
      if ((times.at(-1) ?? 0) <= nowMs - MINUTE_MS) this.#times.delete(sender);
  }
}
