// The kept CPU time of each test file: by it a run starts the longest first, and a file has its tier.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cost } from "./busy.ts";

const FILE = join(import.meta.dir, "timings.data.json");
const CHECKS = join(import.meta.dir, "..", "ci", "times.data.json");

/** In Bun's form, which takes any milliseconds. Those of a waiting test would say how busy the machine was. */
interface Timings {
  readonly version: number;
  /** Milliseconds of CPU by path, on a machine whose type check takes what is kept for it. */
  readonly files: Readonly<Record<string, number>>;
}

function readTimings(): Timings {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** With these flags `bun test` starts the longest files first. */
export const TIMINGS_FLAGS: readonly string[] = ["--timings", FILE];

/** Returns what a whole run's step took that is no test file. Throws for a name that has no kept time. */
export function readCheck(name: string): Cost {
  const known: Readonly<Record<string, Cost>> = JSON.parse(readFileSync(CHECKS, "utf8"));
  const cost = known[name];
  if (cost === undefined) throw new Error(`test/ci/times.data.json has no time of ${name}`);
  return cost;
}

/**
 * Writes what was measured, in the unit of the kept times: `unit` is the share of the kept type check that this run's took. Files
 * that are gone are left out.
 */
export function keepTimings(all: readonly string[], cpuMs: ReadonlyMap<string, number>, unit: number): void {
  const { version, files: known } = readTimings();
  const times = all.flatMap((path) => {
    const measured = cpuMs.get(path);
    const ms = measured === undefined ? known[path] : measured / unit;
    return ms === undefined ? [] : [[path, Math.round(ms)] as const];
  });
  const files = Object.fromEntries(times.toSorted(([, one], [, other]) => other - one));
  writeFileSync(FILE, `${JSON.stringify({ version, files }, null, 1)}\n`);
}

/** Of a file that wasn't measured. The middle of all. */
const USUAL_MS = 500;

/** Returns the kept seconds of CPU of a file. */
export function makeCosts(): (path: string) => number {
  const { files } = readTimings();
  return (path) => (files[path] ?? USUAL_MS) / 1000;
}
