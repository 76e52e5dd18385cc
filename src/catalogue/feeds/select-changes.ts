// Chooses among the changes that a list of prices proposes, by patterns of models.
import { matchesAny } from "../../core/text/pattern.ts";
import type { Proposal } from "./verdict.ts";

export interface Choice {
  /** Missing for all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

/** A pattern that matches no change. */
interface IdlePattern {
  readonly field: "only" | "except";
  readonly at: number;
  readonly pattern: string;
}

export function selectChanges<Change extends Pick<Proposal, "id">>(
  proposals: readonly Change[],
  { only, except = [] }: Choice,
): readonly Change[] {
  return proposals.filter(
    ({ id }) => (only === undefined || matchesAny(only, id)) && !matchesAny(except, id),
  );
}

/** Returns the first pattern that matches none of the changes: it is a mistake. Null if there is none. */
export function findIdlePattern(
  proposals: readonly Pick<Proposal, "id">[],
  { only = [], except = [] }: Choice,
): IdlePattern | null {
  for (const [field, patterns] of [
    ["only", only],
    ["except", except],
  ] as const) {
    const at = patterns.findIndex((pattern) => !proposals.some(({ id }) => matchesAny([pattern], id)));
    const pattern = patterns[at];
    if (pattern !== undefined) return { field, at, pattern };
  }
  return null;
}
