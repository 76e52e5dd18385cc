// The outcomes of a batch's lines, in the words of the console and the command line.

/** In the order in which they are shown. */
const LINE_OUTCOMES = [
  { name: "answered", words: "answered" },
  { name: "failed", words: "failed" },
  { name: "cancelled", words: "cancelled" },
  { name: "expired", words: "expired" },
  { name: "unpaid", words: "beyond the ceiling" },
  { name: "left", words: "left" },
] as const;

type LineOutcome = (typeof LINE_OUTCOMES)[number]["name"];

/** Returns the outcomes that lines have, with their counts. */
export function listOutcomes(counts: Readonly<Record<LineOutcome, number>>) {
  return LINE_OUTCOMES.map((one) => ({ ...one, count: counts[one.name] })).filter(({ count }) => count > 0);
}

/** A batch keeps no more mistakes of its input. */
export const MISTAKES_KEPT = 100;
