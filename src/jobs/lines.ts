// The states of a block's lines: one character for each, so that a block is one small row.
import type { BatchCounts } from "../core/batches/batch.ts";

/** The lines of a block, which is the unit of a lease. */
export const LINES_OF_BLOCK = 128;

/** The ends of lines, each with its character. */
const ENDS = { completed: "C", failed: "F", cancelled: "X", expired: "E", unpaid: "M" } as const;
export type LineEnd = keyof typeof ENDS;

const LINE_ENDS: readonly LineEnd[] = ["completed", "failed", "cancelled", "expired", "unpaid"];
/** A line that hasn't ended has the number of its failed tries. */
const TRIES = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Returns the states of lines of which none has begun. */
export function openLines(count: number): string {
  return "0".repeat(count);
}

export function isOpen(states: string, at: number): boolean {
  return TRIES.includes(states.charAt(at) || "-");
}

/** Returns a line's number in its batch, from 1. */
export function numberLine(block: number, at: number): number {
  return block * LINES_OF_BLOCK + at + 1;
}

export function listOpen(states: string): readonly number[] {
  const open: number[] = [];
  for (let at = 0; at < states.length; at++) if (isOpen(states, at)) open.push(at);
  return open;
}

/** Returns how many tries of the line have failed. */
export function countTries(states: string, at: number): number {
  return Math.max(0, TRIES.indexOf(states.charAt(at)));
}

export function addTry(states: string, at: number): string {
  if (!isOpen(states, at)) return states;
  const tries = Math.min(TRIES.length - 1, countTries(states, at) + 1);
  return states.slice(0, at) + TRIES.charAt(tries) + states.slice(at + 1);
}

/** Ends lines. One that has ended stays as it is: it is answered once. */
export function endLines(
  states: string,
  ended: readonly { readonly at: number; readonly end: LineEnd }[],
): string {
  const all = states.split("");
  for (const { at, end } of ended) if (TRIES.includes(all[at] ?? "-")) all[at] = ENDS[end];
  return all.join("");
}

const NO_LINES: ReadonlySet<number> = new Set();

/** Ends all lines that are left, but for those that are kept open. */
export function endRest(states: string, end: LineEnd, open = NO_LINES): string {
  const rest = listOpen(states).filter((at) => !open.has(at));
  return endLines(
    states,
    rest.map((at) => ({ at, end })),
  );
}

/** Returns how the counts of a batch change when a block's states do. */
export function addEnds(counts: BatchCounts, before: string, after: string): BatchCounts {
  const added = (end: LineEnd) => count(after, ENDS[end]) - count(before, ENDS[end]);
  const changed = LINE_ENDS.map((end) => [end, counts[end] + added(end)] as const);
  return { ...counts, ...Object.fromEntries(changed) };
}

export function countOpen(states: string): number {
  let open = 0;
  for (let at = 0; at < states.length; at++) if (isOpen(states, at)) open++;
  return open;
}

/** Returns how many lines of a batch have not ended. */
export function countLeft({ total, ...ends }: BatchCounts): number {
  return LINE_ENDS.reduce((left, end) => left - ends[end], total);
}

function count(states: string, state: string): number {
  let found = 0;
  for (let at = states.indexOf(state); at !== -1; at = states.indexOf(state, at + 1)) found++;
  return found;
}
