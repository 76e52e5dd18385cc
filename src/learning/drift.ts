// Tells when a model has become worse or better: its newest scores by users differ from the older ones by more than
// chance explains.
import { type Static, Type } from "@sinclair/typebox";
import type { Frozen } from "../core/world/frozen.ts";
import type { Change } from "../selectors/knowledge.ts";

/** A user's score of one model. */
export interface Reading {
  readonly atMs: number;
  /** Unique and the same on all nodes. Decides the order of scores of the same time. */
  readonly id: string;
  /** The account, or the key if only one account scores. */
  readonly voice: string;
  readonly score: number;
  /** The score that was expected of an answer to this prompt. */
  readonly expected: number;
}

export const driftSchema = Type.Object({
  /** The time of the first score after the change, in Unix milliseconds. */
  sinceMs: Type.Number(),
  /** The mean scores before and after it, 0…1, and the numbers of scores that they are means of. */
  before: Type.Number(),
  after: Type.Number(),
  scoresBefore: Type.Number(),
  scoresAfter: Type.Number(),
});
export type Drift = Frozen<Static<typeof driftSchema>>;
/** By model. */
export type Drifts = Readonly<Record<string, Drift>>;

/** Scores and labels from before a change keep this share of their weight. */
export const BEFORE_SHARE = 0.1;

/**
 * Numbers of newest scores that are compared with the older ones. 30 tell a collapse soon, but miss 58 of 60
 * models of which about half of the good answers are left. With 120 as well, 55 of 60 are found, half of them within 120
 * scores, and 4 instead of 3 of 400 steady streams of 2,500 scores seem to change. At 4 standard errors 58 are found, and
 * 9 streams seem to change.
 */
const NEWEST = [30, 120] as const;
const OLDER_MIN = 30;
/** One score in this many is tested at, drawn by its id. If each were, chance would find a change in most streams. */
const STEP = 15;
/** A change is larger than this many standard errors. */
const ERRORS = 4.5;
/** Without the scores of any one of several voices it is still larger than this many, or that voice makes it alone. */
const ERRORS_OF_OTHERS = 2;
/** Scores that are nearly all alike say little about how much they vary. */
const VARIANCE_MIN = 0.02;

/**
 * Returns the last change in the scores of one model. Null if there is none. The scores at which it looks for one don't
 * depend on how many older ones were deleted, so a change stays where it was found.
 */
export function findDrift(readings: readonly Reading[]): Drift | null {
  const ordered = readings.toSorted(compareReadings);
  const sumBetween = sumUp(ordered);
  let found: Drift | null = null;
  let from = 0;
  for (const [at, { id }] of ordered.entries()) {
    if (!isDrawn(id)) continue;
    for (const count of NEWEST) {
      const first = at + 1 - count;
      if (first - from < OLDER_MIN) break;
      const errors = countErrors(sumBetween(from, first), sumBetween(first, at + 1));
      if (Math.abs(errors) < ERRORS) continue;
      const older = ordered.slice(from, first);
      const newest = ordered.slice(first, at + 1);
      if (!isShared(older, newest, errors)) continue;
      found = describeParts(older, newest);
      from = first;
      break;
    }
  }
  return found;
}

function isDrawn(id: string): boolean {
  return Bun.hash.wyhash(id) % BigInt(STEP) === 0n;
}

function compareReadings(a: Reading, b: Reading): number {
  return a.atMs - b.atMs || (a.id < b.id ? -1 : 1);
}

/** True if no voice makes the change alone. */
function isShared(older: readonly Reading[], newest: readonly Reading[], errors: number): boolean {
  const voices = new Set([...older, ...newest].map(({ voice }) => voice));
  if (voices.size === 1) return true;
  return [...voices].every((voice) => {
    const sumOthers = (all: readonly Reading[]) => {
      const others = all.filter((one) => one.voice !== voice);
      return sumUp(others)(0, others.length);
    };
    return Math.sign(errors) * countErrors(sumOthers(older), sumOthers(newest)) >= ERRORS_OF_OTHERS;
  });
}

function describeParts(older: readonly Reading[], newest: readonly Reading[]): Drift {
  const mean = (all: readonly Reading[]) => all.reduce((sum, { score }) => sum + score, 0) / all.length;
  return {
    sinceMs: newest[0]?.atMs ?? 0,
    before: mean(older),
    after: mean(newest),
    scoresBefore: older.length,
    scoresAfter: newest.length,
  };
}

/** Sums of the amounts by which scores exceed their expectations, and of the squares of these. */
interface DriftSums {
  readonly count: number;
  readonly residual: number;
  readonly squares: number;
}

/** Returns a function that sums up from one place up to another, in constant time: hundreds of parts are compared. */
function sumUp(readings: readonly Reading[]): (from: number, to: number) => DriftSums {
  const residuals = new Float64Array(readings.length + 1);
  const squares = new Float64Array(readings.length + 1);
  for (const [at, { score, expected }] of readings.entries()) {
    residuals[at + 1] = (residuals[at] ?? 0) + score - expected;
    squares[at + 1] = (squares[at] ?? 0) + (score - expected) ** 2;
  }
  const between = (sums: Float64Array, from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0);
  return (from, to) => ({
    count: to - from,
    residual: between(residuals, from, to),
    squares: between(squares, from, to),
  });
}

/** Returns the number of standard errors by which the newest scores exceed the older ones. 0 if there are too few. */
function countErrors(older: DriftSums, newest: DriftSums): number {
  if (older.count < 2 || newest.count < 2) return 0;
  const spread = ({ count, residual, squares }: DriftSums) => squares - residual ** 2 / count;
  const variance = (spread(older) + spread(newest)) / (older.count + newest.count - 2);
  const error = Math.sqrt(Math.max(VARIANCE_MIN, variance) * (1 / older.count + 1 / newest.count));
  return (newest.residual / newest.count - older.residual / older.count) / error;
}

/** Returns the change as selectors read it. */
export function describeDrift(drift: Drift | undefined): Change | null {
  if (drift === undefined) return null;
  return { on: formatDay(drift.sinceMs), to: drift.after < drift.before ? "worse" : "better" };
}

/** Returns the change as the operator sees it. */
export function viewDrift(drift: Drift | undefined) {
  if (drift === undefined) return null;
  const { sinceMs, before, after } = drift;
  return { on: formatDay(sinceMs), before: round(before), after: round(after) };
}

/** Returns the day, `YYYY-MM-DD`, in UTC. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, DAY_CHARACTERS);
}
const DAY_CHARACTERS = "2026-11-22".length;

function round(share: number): number {
  return Math.round(share * THOUSANDTHS) / THOUSANDTHS;
}
const THOUSANDTHS = 1000;
