// Gives each test file to one step.
import type { Graph } from "../runner/graph.ts";
import type { Files, Step } from "./row.ts";

/**
 * Returns the files of each step, by its name. A file belongs to the first of the steps that takes it; those that a step takes
 * for what they import belong to another, too, unless that one measures something.
 */
export function assignFiles(steps: readonly Step[], graph: Graph): ReadonlyMap<string, readonly string[]> {
  const assigned = new Map<string, string[]>();
  for (const file of graph.tests) {
    const taker = steps.find(({ work }) => "under" in work && takes(work, file, graph));
    if (taker === undefined) throw new Error(`no step takes ${file}`);
    const files = assigned.get(taker.name);
    if (files === undefined) assigned.set(taker.name, [file]);
    else files.push(file);
  }
  const measured = new Set(
    steps.flatMap(({ name, measures }) => (measures ? (assigned.get(name) ?? []) : [])),
  );
  for (const { name, work } of steps) {
    const { importing } = "under" in work ? work : {};
    if (importing === undefined) continue;
    const reaches = (file: string) => graph.reach(file).has(importing) && !measured.has(file);
    assigned.set(name, graph.tests.filter(reaches));
  }
  return assigned;
}

function takes({ under, starting }: Files, file: string, graph: Graph): boolean {
  if (!under.some((start) => file.startsWith(start))) return false;
  return starting === undefined || graph.startsProcesses(file) === starting;
}
