// The CPU time of each test file: the longest start first, so that no worker is left alone with one at the end.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dir, "timings.data.json");
/** Beyond this share of files without a time, the file is written again. */
const UNKNOWN_MAX = 0.05;

/** In Bun's form, which takes any milliseconds. Those of a waiting test would say how busy the machine was. */
interface Timings {
  readonly version: number;
  /** Milliseconds of CPU by path. */
  readonly files: Readonly<Record<string, number>>;
}

function readTimings(): Timings {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** With these flags `bun test` starts the longest files first. */
export const TIMINGS_FLAGS: readonly string[] = ["--timings", FILE];

/**
 * Writes what was measured, if that is asked for by `UPDATE_TIMINGS=1` or too many of the files that ran had no time. Files that
 * are gone are left out. Returns whether it wrote.
 */
export function keepTimings(all: readonly string[], cpuMs: ReadonlyMap<string, number>): boolean {
  const { version, files: known } = readTimings();
  const unknown = [...cpuMs.keys()].filter((path) => known[path] === undefined);
  if (!process.env.UPDATE_TIMINGS && unknown.length <= all.length * UNKNOWN_MAX) return false;
  const times = all.flatMap((path) => {
    const ms = cpuMs.get(path) ?? known[path];
    return ms === undefined ? [] : [[path, Math.round(ms)] as const];
  });
  const files = Object.fromEntries(times.toSorted(([, one], [, other]) => other - one));
  writeFileSync(FILE, `${JSON.stringify({ version, files }, null, 1)}\n`);
  return true;
}
