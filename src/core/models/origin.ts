// Where a predicted quality comes from: the operator's labels and users' scores, the operator's own skills, a benchmark,
// or a guess by price and age.

/** From the most to the least that is known. */
export const SOURCES = ["labels", "skills", "benchmark", "guess"] as const;
type OriginSource = (typeof SOURCES)[number];

export interface Origin {
  readonly source: OriginSource;
  /** The day of the newest score or of the benchmark, `YYYY-MM-DD`. Null for skills and guesses. */
  readonly asOf: string | null;
}

/** The place in SOURCES: columns of numbers hold these. */
export const LABELS = SOURCES.indexOf("labels");
export const GUESS = SOURCES.indexOf("guess");
