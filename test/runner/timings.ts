// The time that each test file took: the longest start first, so that no worker is left alone with one at the end.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FILE = join(import.meta.dir, "timings.data.json");
/** Beyond this share of files without a time, the file is written again. */
const UNKNOWN_MAX = 0.05;

interface Timings {
  readonly version: number;
  /** Milliseconds by path. */
  readonly files: Readonly<Record<string, number>>;
}

function readTimings(path: string): Timings {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Copies of the known times, one for each run that measures its own files beside the others. */
export class MeasuredTimings {
  readonly #folder = mkdtempSync(join(tmpdir(), "poundkey-timings-"));
  readonly #copies: string[] = [];

  /** Returns the flags with which `bun test` starts the longest files first and measures them. */
  makeFlags(): readonly string[] {
    const copy = join(this.#folder, `${this.#copies.length}.json`);
    copyFileSync(FILE, copy);
    this.#copies.push(copy);
    return ["--timings", copy, "--update-timings"];
  }

  /** Writes what was measured if too many of the files that ran had no time. Returns whether it did. */
  keep(ran: readonly string[]): boolean {
    const { version, files: known } = readTimings(FILE);
    const measured = this.#copies.map((copy) => readTimings(copy).files);
    rmSync(this.#folder, { recursive: true, force: true });
    const unknown = ran.filter((path) => known[path] === undefined);
    if (unknown.length <= ran.length * UNKNOWN_MAX) return false;
    const times = ran.flatMap((path) => {
      const ms = measured.map((files) => files[path]).find((one) => one !== undefined && one !== known[path]);
      const kept = ms ?? known[path];
      return kept === undefined ? [] : [[path, Math.round(kept)] as const];
    });
    const files = Object.fromEntries(times.toSorted(([, one], [, other]) => other - one));
    writeFileSync(FILE, `${JSON.stringify({ version, files }, null, 1)}\n`);
    return true;
  }
}
