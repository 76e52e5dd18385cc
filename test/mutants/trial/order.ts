// The mutants that a run tries, in their order: those whose results the change puts in doubt, and then the nearest to it.
import { findThird } from "../../ci/thirds/thirds.ts";
import { type Catches, isUnchanged } from "../caught.ts";
import type { Mutant } from "../mutant.ts";

/** Returns the mutants of a third, from 0, which changes with nothing but their names. */
function takeThird(mutants: readonly Mutant[], third: number): readonly Mutant[] {
  return mutants.filter(({ name }) => findThird(name) === third);
}

/** The change under test, as far as a run knows it. */
export interface Around {
  readonly catches: Catches;
  /** The files that it changes. */
  readonly files: readonly string[];
  /** The test files that it reaches, the nearest first. */
  readonly near: readonly string[];
  /** The third of the mutants it doesn't touch that are tried too. All of them if null. */
  readonly third: number | null;
  /** The kept cost of a test file. */
  readonly costOf: (file: string) => number;
}

/**
 * Returns the mutants to try: first those that nobody has caught as they are now, then those of a changed file or caught by a
 * changed test, then the others, of which those that a near test caught come first. Of equal ones the cheapest come first.
 */
export function orderMutants(mutants: readonly Mutant[], around: Around): readonly Mutant[] {
  const { catches, third, costOf } = around;
  const changed = new Set(around.files);
  const near = new Map(around.near.map((file, place) => [file, place]));
  const isStale = (mutant: Mutant) => !isUnchanged(mutant, catches[mutant.name]);
  const findTest = ({ name }: Mutant) => catches[name]?.file ?? "";
  const isTouched = (mutant: Mutant) => changed.has(mutant.file) || changed.has(findTest(mutant));
  const isDue = new Set(third === null ? mutants : takeThird(mutants, third));
  const rank = (mutant: Mutant) => {
    if (isStale(mutant)) return -2;
    if (isTouched(mutant)) return -1;
    if (!isDue.has(mutant)) return null;
    return near.get(findTest(mutant)) ?? near.size;
  };
  const ranked = mutants.flatMap((mutant) => {
    const place = rank(mutant);
    return place === null ? [] : [{ mutant, place, cost: costOf(findTest(mutant)) }];
  });
  return ranked
    .toSorted((one, other) => one.place - other.place || one.cost - other.cost)
    .map(({ mutant }) => mutant);
}
