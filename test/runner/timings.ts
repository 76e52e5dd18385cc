// The kept cost of each test file and step, in units (`unit/unit.ts`): by it a run starts the longest first, and a file has its tier.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cost } from "./busy.ts";
import type { WrongCost } from "./costs.ts";

/** From the root. */
export const TIMINGS_FILE = "test/runner/timings.data.json";

const FILE = join(import.meta.dir, "timings.data.json");
const STEPS = join(import.meta.dir, "..", "ci", "times.data.json");

/** Seconds of CPU that a unit takes on the slowest machine that isn't busy, by which limits of time are set. */
export const SLOW_UNIT_SECONDS = 4.8;

/** In Bun's form, which takes any numbers. Those of a waiting test would say how busy the machine was. */
interface Timings {
  readonly version: number;
  /** Thousandths of a unit by path. */
  readonly files: Readonly<Record<string, number>>;
}

/** A step's time, and how many rows it had. */
export interface StepTime {
  readonly seconds: number;
  readonly units: number;
  /** The cores that it kept busy, on average. */
  readonly cores: number;
  readonly rows: number;
}

function readTimings(): Timings {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** With these flags `bun test` starts the longest files first. */
export const TIMINGS_FLAGS: readonly string[] = ["--timings", FILE];

/** Returns the kept cost of each step of the whole run. */
export function readStepTimes(): Readonly<Record<string, StepTime>> {
  return JSON.parse(readFileSync(STEPS, "utf8"));
}

export function writeStepTimes(times: Readonly<Record<string, StepTime>>): void {
  writeFileSync(STEPS, `${JSON.stringify(times, null, 1)}\n`);
}

/** Returns the kept units of a step that is no test file. Throws for a name of which none is kept. */
export function readCheck(name: string): number {
  const time = readStepTimes()[name];
  if (time === undefined) throw new Error(`test/ci/times.data.json has no time of ${name}`);
  return time.units;
}

/** Returns what a check takes on the slowest machine that isn't busy. */
export function readSlowCheck(name: string): Cost {
  return { seconds: readStepTimes()[name]?.seconds ?? 0, cpu: readCheck(name) * SLOW_UNIT_SECONDS };
}

/** Of a file that has none kept, in units. The middle of all. */
const USUAL = 0.1;

/** Returns the kept units of a file. */
export function makeCosts(): (path: string) => number {
  const costs = readCosts();
  return (path) => costs.get(path) ?? USUAL;
}

/** Returns the units of each file that has some kept. */
export function readCosts(): ReadonlyMap<string, number> {
  return parseCosts(readFileSync(FILE, "utf8"));
}

export function parseCosts(text: string): ReadonlyMap<string, number> {
  const { files }: Timings = JSON.parse(text);
  return new Map(Object.entries(files).map(([path, thousandths]) => [path, thousandths / 1000]));
}

/** Keeps the lower of what was measured of each file. `all` are the files that there are: what is kept of others goes. */
export function keepCosts(all: readonly string[], found: readonly WrongCost[]): void {
  const { version } = readTimings();
  const costs = new Map(readCosts());
  for (const { file, measured } of found) costs.set(file, Math.min(...measured));
  const kept = all.flatMap((path) => {
    const units = costs.get(path);
    return units === undefined ? [] : [[path, Math.max(1, Math.round(units * 1000))] as const];
  });
  const files = Object.fromEntries(kept.toSorted(([, one], [, other]) => other - one));
  writeFileSync(FILE, `${JSON.stringify({ version, files }, null, 1)}\n`);
}
