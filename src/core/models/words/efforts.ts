// The levels of effort, and the nearest one that a server takes.
import type { EffortLevel } from "../refusals.ts";

/** Lowest first. */
export const EFFORTS: readonly EffortLevel[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Chooses the value nearest to the requested one, the higher of two. Thinking is never turned off unless asked. */
export function chooseEffort<Level extends EffortLevel>(
  asked: EffortLevel,
  values: readonly Level[],
): Level | undefined {
  const same = values.find((value) => value === asked);
  if (same !== undefined) return same;
  const distance = (value: EffortLevel): number => Math.abs(EFFORTS.indexOf(value) - EFFORTS.indexOf(asked));
  const thinking = values.filter((value) => value !== "none");
  return thinking.toSorted((a, b) => distance(a) - distance(b) || EFFORTS.indexOf(b) - EFFORTS.indexOf(a))[0];
}
