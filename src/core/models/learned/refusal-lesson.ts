// A lesson on a refusal: something that a model's server was found to refuse, with the payers that met it, and its end.
import { readAccount } from "../../keys/payer.ts";
import { joinConditions, type LessonCondition } from "./condition.ts";

/** A lesson ends if nobody has met it for so long. */
export const UNSEEN_MS = 30 * 86_400_000;
/** Once within this time, one request to a model is sent as it came, to try whether its server still refuses anything. */
export const TRIAL_MS = 86_400_000;
/** The most lessons of a model, and of all. Beyond them, those go that were met longest ago. */
export const LESSONS_A_MODEL_MAX = 32;
export const LESSONS_MAX = 2000;
export const WORD_CHARACTERS_MAX = 120;
/** Beyond this number of payers that met a refusal, the one that met it first is forgotten. */
const PAYERS_MAX = 64;

/** The subject of a lesson. */
export interface LessonPlace {
  /** A card's id. */
  readonly model: string;
  /** The host that was called, since the same name may be served by another server tomorrow. */
  readonly host: string;
  /** A word of the vocabulary of refusals, perhaps of another version. */
  readonly word: string;
}

/** Times are Unix milliseconds. */
export interface RefusalLesson extends LessonPlace {
  readonly firstSeenAtMs: number;
  readonly seenAtMs: number;
  /** The last trial, or when it was learned. */
  readonly triedAtMs: number;
  /** The time at which a call without it was answered. Null if none was. */
  readonly confirmedAtMs: number | null;
  /** The time from which on it counts for everybody. Null if it doesn't. */
  readonly sharedAtMs: number | null;
  /** Those that met it, as `namePayer` names them. The last to meet it first stands at the end. */
  readonly payers: readonly string[];
  /** The requests that it is about. Null for all: it was learned before there were conditions, or elsewhere. */
  readonly conditions: readonly LessonCondition[] | null;
}

/** The store's methods on these lessons. Each is one transaction, as in `Store`. */
export interface RefusalLessonStore {
  /** Returns all of them, the last seen first. */
  list(): Promise<readonly RefusalLesson[]>;
  /** Changes with every change of a lesson. Null before the first one. */
  version(): Promise<string | null>;
  /** Joins what a process has learned to what is known. May be repeated. */
  add(lesson: RefusalLesson): Promise<void>;
  /**
   * Takes the right to try a model without any of its lessons: mends overlap, so that one alone would prove nothing. False
   * if all of them were tried after `beforeMs`, by whichever process, or have ended.
   */
  takeTrial(place: Omit<LessonPlace, "word">, beforeMs: number, nowMs: number): Promise<boolean>;
  /** Forgets it. False if another process did. */
  end(place: LessonPlace): Promise<boolean>;
}

export function nameLesson({ model, host, word }: LessonPlace): string {
  return JSON.stringify([model, host, word]);
}

/** Returns a lesson as it is after others met it too. */
export function joinLesson(known: RefusalLesson | null, met: RefusalLesson): RefusalLesson {
  const before = known ?? met;
  const payers = [...new Set([...before.payers, ...met.payers])].slice(-PAYERS_MAX);
  const confirmedAtMs = findLater(before.confirmedAtMs, met.confirmedAtMs);
  const seenAtMs = Math.max(before.seenAtMs, met.seenAtMs);
  const isShared = confirmedAtMs !== null && new Set(payers.map(readAccount)).size > 1;
  return {
    ...before,
    firstSeenAtMs: Math.min(before.firstSeenAtMs, met.firstSeenAtMs),
    seenAtMs,
    confirmedAtMs,
    sharedAtMs: before.sharedAtMs ?? met.sharedAtMs ?? (isShared ? seenAtMs : null),
    payers,
    conditions: joinNullable(before.conditions, met.conditions),
  };
}

function joinNullable(known: RefusalLesson["conditions"], met: RefusalLesson["conditions"]) {
  return known === null || met === null ? null : joinConditions(known, met);
}

function findLater(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** True if the payer met it, or if a mended call was answered and two others met it: of two accounts, or of the payer's own. */
export function isKnownTo(payer: string, { sharedAtMs, confirmedAtMs, payers }: RefusalLesson): boolean {
  if (sharedAtMs !== null || payers.includes(payer)) return true;
  if (confirmedAtMs === null) return false;
  const account = readAccount(payer);
  return payers.filter((one) => readAccount(one) === account).length > 1;
}

/** Returns those that are beyond the bounds. Nobody's requests alone push out a lesson that counts for everybody. */
export function listBeyond(lessons: readonly RefusalLesson[]): readonly RefusalLesson[] {
  const kept = new Map<string, number>();
  let all = 0;
  return lessons
    .toSorted(
      (a, b) => Number(b.sharedAtMs !== null) - Number(a.sharedAtMs !== null) || b.seenAtMs - a.seenAtMs,
    )
    .filter(({ model }) => {
      const own = kept.get(model) ?? 0;
      if (own >= LESSONS_A_MODEL_MAX || all >= LESSONS_MAX) return true;
      kept.set(model, own + 1);
      all++;
      return false;
    });
}
