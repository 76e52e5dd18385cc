// The gate: what a change forgot, and the tests nearest to it, in two minutes.
import type { Graph } from "../runner/graph.ts";
import type { Change } from "./change.ts";
import type { Step } from "./row.ts";

/** The units of the tests near the change. */
const NEAR_UNITS = 16;

export interface Near {
  readonly files: readonly string[];
  /** The number of others that the change reaches. */
  readonly left: number;
}

/** Returns the tests nearest to the change, as many as fit into the time, of those that the gate may run. */
export function chooseNear(
  { files }: Pick<Change, "files">,
  graph: Graph,
  { mayRun, costOf }: { mayRun: (file: string) => boolean; costOf: (file: string) => number },
): Near {
  const near = graph.rankNear(files ?? []).filter(mayRun);
  const chosen: string[] = [];
  let units = 0;
  for (const file of near) {
    const more = costOf(file);
    if (units + more > NEAR_UNITS) continue;
    units += more;
    chosen.push(file);
  }
  return { files: chosen, left: near.length - chosen.length };
}

/** The units of the files whose kept costs are tried. */
const TRIED_UNITS = 36;
/** Any file takes as much alone. */
const LEAST_UNITS = 0.3;

/** Returns the files to measure: those that a change touches, and those of which it keeps another cost, the cheapest by it first. */
export function chooseMeasured(
  { files }: Pick<Change, "files">,
  kept: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number> | null,
  mayRun: readonly string[],
): readonly string[] {
  const isAltered = (file: string) => before?.has(file) && before.get(file) !== kept.get(file);
  const costOf = (file: string) => kept.get(file) ?? 0;
  const touched = mayRun.filter((file) => files?.includes(file) || isAltered(file));
  let units = 0;
  return touched
    .toSorted((one, other) => costOf(one) - costOf(other))
    .filter((file) => {
      units += Math.max(costOf(file), LEAST_UNITS);
      return units <= TRIED_UNITS;
    });
}

export function makeCostsStep(files: readonly string[]): Step {
  return {
    name: "costs",
    needs: [],
    minutes: 20,
    gate: "both",
    work: { command: [process.execPath, "test/run.ts", "--costs", ...files] },
  };
}

/** The name of the step that runs them. */
export const NEAR = "near";

export function makeNearStep(files: readonly string[]): Step {
  return {
    name: NEAR,
    needs: [],
    minutes: 10,
    gate: "both",
    work: { under: files, atOnce: 1 },
  };
}
