// Tells when a model has become worse or better: its newest scores by users differ from the older ones by more than
// chance explains.
import { type Static, Type } from "@sinclair/typebox";
import type { Frozen } from "../core/frozen.ts";
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

const NEWEST = 30;
/** With less on either side, chance would decide. */
const NEWEST_MIN = 20;
const OLDER_MIN = 30;
/** One of several voices fills at most a third, so that it can't make a model look worse all by itself. */
const VOICE_MAX = NEWEST / 3;
/** One score in this many is tested at, drawn by its id. If each were, chance would find a change in most streams. */
const STEP = 15;
/** A change is larger than this many standard errors. */
const ERRORS = 4;
/** Scores that are nearly all alike say little about how much they vary. */
const VARIANCE_MIN = 0.02;

/**
 * Returns the last change in the scores of one model. Null if there is none. The scores at which it looks for one don't
 * depend on how many older ones were deleted, so a change stays where it was found.
 */
export function findDrift(readings: readonly Reading[]): Drift | null {
  const ordered = readings.toSorted(compareReadings);
  const most = new Set(ordered.map(({ voice }) => voice)).size > 1 ? VOICE_MAX : NEWEST;
  let found: Drift | null = null;
  let from = 0;
  for (let at = NEWEST_MIN + OLDER_MIN - 1; at < ordered.length; at++) {
    const reading = ordered[at];
    if (reading === undefined || at - from < NEWEST_MIN + OLDER_MIN - 1 || !isDrawn(reading.id)) continue;
    const { first, newest } = takeNewest(ordered, from, at, most);
    const drift = compare(ordered.slice(from, first), newest);
    if (drift === null) continue;
    found = drift;
    from = first;
  }
  return found;
}

function isDrawn(id: string): boolean {
  return Bun.hash.wyhash(id) % BigInt(STEP) === 0n;
}

function compareReadings(a: Reading, b: Reading): number {
  return a.atMs - b.atMs || (a.id < b.id ? -1 : 1);
}

/** Takes the newest scores up to a place, of each voice at most so many. `first` is the place of the oldest of them. */
function takeNewest(ordered: readonly Reading[], from: number, until: number, most: number) {
  const taken = new Map<string, number>();
  const newest: Reading[] = [];
  let first = until;
  for (let at = until; at >= from && newest.length < NEWEST; at--) {
    const reading = ordered[at];
    const own = taken.get(reading?.voice ?? "") ?? 0;
    if (reading === undefined || own >= most) continue;
    taken.set(reading.voice, own + 1);
    newest.push(reading);
    first = at;
  }
  return { first, newest };
}

function compare(older: readonly Reading[], newest: readonly Reading[]): Drift | null {
  if (older.length < OLDER_MIN || newest.length < NEWEST_MIN) return null;
  const [before, after] = [summarise(older), summarise(newest)];
  const variance = (before.squares + after.squares) / (older.length + newest.length - 2);
  const error = Math.sqrt(Math.max(VARIANCE_MIN, variance) * (1 / older.length + 1 / newest.length));
  if (Math.abs(after.residual - before.residual) < ERRORS * error) return null;
  return {
    sinceMs: newest.at(-1)?.atMs ?? 0,
    ...{ before: before.score, after: after.score },
    ...{ scoresBefore: older.length, scoresAfter: newest.length },
  };
}

/** The mean score, and the mean of what it exceeds the expectation by with the sum of squares around that. */
function summarise(readings: readonly Reading[]) {
  const { length } = readings;
  const score = readings.reduce((sum, one) => sum + one.score, 0) / length;
  const residual = readings.reduce((sum, one) => sum + one.score - one.expected, 0) / length;
  const squares = readings.reduce((sum, one) => sum + (one.score - one.expected - residual) ** 2, 0);
  return { score, residual, squares };
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
