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

/** The part of a batch that shows how it ended. */
interface EndedBatch {
  readonly status: string;
  readonly counts: { readonly total: number; readonly completed: number };
}

/**
 * Returns how much of a completed batch wasn't answered. Clients know it as completed all the same, since all of its lines
 * have been tried. Null for one whose lines were all answered, and for any other status.
 */
export function findUnanswered({ status, counts }: EndedBatch): "all" | "some" | null {
  const { total, completed } = counts;
  if (status !== "completed" || completed === total) return null;
  return completed === 0 ? "all" : "some";
}

/** Returns the status, and that no line was answered: `completed, none answered`. */
export function nameStatus(batch: EndedBatch): string {
  return findUnanswered(batch) === "all" ? `${batch.status}, none answered` : batch.status;
}

/** A batch keeps no more mistakes of its input. */
export const MISTAKES_KEPT = 100;
