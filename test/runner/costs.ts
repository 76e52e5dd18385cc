// The cost of a test file alone beside the one that is kept.
import { readCosts } from "./timings.ts";

/** Units that a file takes alone for what it otherwise finds loaded, at most. */
const START = 0.7;
const SHARE = 0.2;

export interface WrongCost {
  readonly file: string;
  /** In units; null if none is kept. */
  readonly kept: number | null;
  readonly measured: readonly number[];
}

function differs(kept: number | null, measured: number): boolean {
  return kept === null || Math.abs(measured - kept) > Math.max(SHARE * kept, START);
}

/** Returns the units that files took for each that is kept of them: a unit isn't worth the same on every machine. */
export function findScale(units: ReadonlyMap<string, number>): number {
  const costs = readCosts();
  const known = [...units].filter(([file, measured]) => costs.has(file) && measured >= 0);
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return sum(known.map(([, measured]) => measured)) / sum(known.map(([file]) => costs.get(file) ?? 0));
}

/** Returns whether both runs of a file differ from what is kept, in one direction. */
export function isWrong({ kept, measured }: Omit<WrongCost, "file">): boolean {
  const isOneWay = kept === null || new Set(measured.map((one) => one > kept)).size === 1;
  return isOneWay && measured.every((one) => differs(kept, one));
}

/** Measures each file, a second time if the first differs. Returns those whose kept cost is wrong. */
export async function findWrongCosts(
  files: readonly string[],
  measure: (file: string) => Promise<number>,
): Promise<readonly WrongCost[]> {
  const costs = readCosts();
  const wrong: WrongCost[] = [];
  for (const file of files) {
    const kept = costs.get(file) ?? null;
    const first = await measure(file);
    if (!differs(kept, first)) continue;
    const found = { file, kept, measured: [first, await measure(file)] };
    if (isWrong(found)) wrong.push(found);
  }
  return wrong;
}

/** Less than is kept may be the machine, and isn't red. */
export function isDearer({ kept, measured }: WrongCost): boolean {
  return kept === null || measured.every((one) => one > kept);
}

export function describeWrongCost({ file, kept, measured }: WrongCost): string {
  const took = measured.map((one) => one.toFixed(2)).join(" and ");
  return `${file}: ${kept ?? "no"} units are kept, and it took ${took}; UPDATE_COSTS=1 npm test -- --costs ${file}`;
}
