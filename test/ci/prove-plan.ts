// The runs by which changed test files prove themselves within about a minute.

export interface Proof {
  readonly file: string;
  /** True if it has titles that weren't there before. */
  readonly isNew: boolean;
  /** Null for a file that isn't run here. */
  readonly cpuMs: number | null;
}

const TOGETHER_MS = 60_000;
/** The inverse of the share of a core that a run gets. */
const SLOWER = 4;
export const RUNS_MIN = 2;
/** More of the same proves little. */
const RUNS_MAX = 10;

/**
 * Returns the files to run, one after the other, as often as they are named, and those that take too long. Files with new titles
 * come first and the shortest of them at first, so that most prove themselves; what is left of the minute repeats them.
 */
export function planRuns(proofs: readonly Proof[]): {
  readonly runs: readonly string[];
  readonly left: readonly string[];
} {
  const rank = ({ isNew }: Proof) => (isNew ? 0 : 1);
  const sorted = proofs.toSorted((a, b) => rank(a) - rank(b) || (a.cpuMs ?? 0) - (b.cpuMs ?? 0));
  const chosen: { readonly file: string; readonly takesMs: number }[] = [];
  const left: string[] = [];
  let togetherMs = 0;
  for (const { file, cpuMs } of sorted) {
    const takesMs = (cpuMs ?? Number.POSITIVE_INFINITY) * SLOWER;
    if (togetherMs + RUNS_MIN * takesMs > TOGETHER_MS) {
      left.push(file);
      continue;
    }
    chosen.push({ file, takesMs });
    togetherMs += RUNS_MIN * takesMs;
  }
  const runs = Array.from({ length: RUNS_MIN }, () => chosen.map(({ file }) => file)).flat();
  for (let round = RUNS_MIN; round < RUNS_MAX; round++) {
    for (const { file, takesMs } of chosen) {
      if (togetherMs + takesMs > TOGETHER_MS) continue;
      runs.push(file);
      togetherMs += takesMs;
    }
  }
  return { runs, left };
}
