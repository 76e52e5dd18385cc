// The notes on one key or team while it is read: rows of the report, and the reasons for which it comes paused.
import type { Report } from "../report.ts";

export class ImportNotes {
  readonly #report: Report;
  readonly #owner: string;
  /** It had each of these there and can't have it here, so without a pause it could do, use or spend more. */
  readonly pausedFor: string[] = [];

  /** `owner` is as in the report: `key app`. */
  constructor(report: Report, owner: string) {
    this.#report = report;
    this.#owner = owner;
  }

  take(part: string, words: string): void {
    this.#report.take(null, `${this.#owner}: ${part}`, words);
  }

  narrow(part: string, words: string): void {
    this.#report.narrow(null, `${this.#owner}: ${part}`, words);
  }

  /** Only for parts without which it can do no more than before. */
  leave(part: string, words: string): void {
    this.#report.leave(null, `${this.#owner}: ${part}`, words);
  }

  pause(words: string): void {
    if (!this.pausedFor.includes(words)) this.pausedFor.push(words);
  }
}
