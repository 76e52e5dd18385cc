// The cost of a usual whole run by the kept costs: of its files, of those that run by thirds a third, and of its programs.
import type { Graph } from "../runner/graph.ts";
import { makeCosts, readCheck } from "../runner/timings.ts";
import { assignFiles } from "./assign.ts";
import { makeSteps } from "./steps.ts";
import { type Follows, THIRDS } from "./thirds/thirds.ts";

/** Returns its units. The files that it runs in a clone are counted once, in their step. */
export function sumWholeRun(graph: Graph, follows: Follows): number {
  const steps = makeSteps({ isLong: false, hasRecordings: true, base: "HEAD" });
  const files = assignFiles(steps, graph);
  const costOf = makeCosts();
  const units = steps.map(({ name, work, gate }) => {
    const own = "command" in work && gate !== "whole" ? readCheck(name) : 0;
    const all = (files.get(name) ?? []).reduce((sum, file) => sum + costOf(file), own);
    return follows[name] === undefined ? all : all / THIRDS;
  });
  return units.reduce((sum, one) => sum + one, 0);
}
