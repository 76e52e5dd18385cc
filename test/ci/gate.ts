// The gate: what a change forgot, and the tests nearest to it, in two minutes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Graph } from "../runner/graph.ts";
import type { Change } from "./change.ts";
import type { Step } from "./row.ts";

/** The processor time of the tests near the change. */
const NEAR_SECONDS = 45;
const UNKNOWN_SECONDS = 1;

export interface Near {
  readonly files: readonly string[];
  /** How many others the change reaches. */
  readonly left: number;
}

/** Returns the tests nearest to the change, as many as fit into the time, of those that the gate may run. */
export function chooseNear(
  { files }: Change,
  graph: Graph,
  {
    mayRun,
    secondsOf,
  }: { mayRun: (file: string) => boolean; secondsOf: (file: string) => number | undefined },
): Near {
  const near = graph.rankNear(files ?? []).filter(mayRun);
  const chosen: string[] = [];
  let seconds = 0;
  for (const file of near) {
    seconds += secondsOf(file) ?? UNKNOWN_SECONDS;
    if (seconds > NEAR_SECONDS) break;
    chosen.push(file);
  }
  return { files: chosen, left: near.length - chosen.length };
}

/** Returns the kept times of test files. */
export function readTimes(root: string): (file: string) => number | undefined {
  const { files }: { files: Readonly<Record<string, number>> } = JSON.parse(
    readFileSync(join(root, "test/runner/timings.data.json"), "utf8"),
  );
  return (file) => {
    const ms = files[file];
    return ms === undefined ? undefined : ms / 1000;
  };
}

export function makeNearStep(files: readonly string[]): Step {
  return {
    name: "near",
    needs: [],
    cpu: 1,
    minutes: 10,
    isGate: true,
    work: { under: files, atOnce: 1 },
  };
}
