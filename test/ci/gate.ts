// The gate: what a change forgot, and the tests nearest to it, in two minutes.
import type { Graph } from "../runner/graph.ts";
import type { Change } from "./change.ts";
import type { Step } from "./row.ts";

/** The processor time of the tests near the change. */
const NEAR_SECONDS = 45;

export interface Near {
  readonly files: readonly string[];
  /** The number of others that the change reaches. */
  readonly left: number;
}

/** Returns the tests nearest to the change, as many as fit into the time, of those that the gate may run. */
export function chooseNear(
  { files }: Change,
  graph: Graph,
  { mayRun, costOf }: { mayRun: (file: string) => boolean; costOf: (file: string) => number },
): Near {
  const near = graph.rankNear(files ?? []).filter(mayRun);
  const chosen: string[] = [];
  let seconds = 0;
  for (const file of near) {
    const more = costOf(file);
    if (seconds + more > NEAR_SECONDS) continue;
    seconds += more;
    chosen.push(file);
  }
  return { files: chosen, left: near.length - chosen.length };
}

/** The name of the step that runs them. */
export const NEAR = "near";

export function makeNearStep(files: readonly string[]): Step {
  return {
    name: NEAR,
    needs: [],
    cpu: 1,
    minutes: 10,
    gate: "both",
    work: { under: files, atOnce: 1 },
  };
}
