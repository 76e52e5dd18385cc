// The lessons to learn from, by prompt: one row of numbers each, and all scores of answers to it.

import type { Lesson } from "../core/models/learned/lesson.ts";
import { SKILLS } from "../core/models/skill.ts";
import { type Design, type Lengths, readDesign, readLengths, readSkills } from "../selectors/row.ts";
import { BEFORE_SHARE, type Drift, type Drifts, findDrift, formatDay, type Reading } from "./drift.ts";
import type { UserScore } from "./feedback.ts";
import type { TaughtView } from "./fitted.ts";
import { mapInSlices } from "./slices.ts";

/** Models and prompts change: a lesson's weight halves in this time. */
const LESSON_HALF_LIFE_MS = 30 * 86_400_000;
/** Older lessons are dropped, because they would weigh an eighth at most. */
export const LESSON_AGE_MAX_MS = 90 * 86_400_000;
/** Prompts beyond these are dropped: they would add little and take longer to fit. */
const PROMPTS_MAX = 4000;

/** A lesson without its text. Without a key, it is a label from the operator. */
export type Evident = Omit<Lesson, "keyId" | "source" | "request"> &
  Partial<Pick<Lesson, "keyId" | "source">>;

/** The scores of one model for one prompt. */
export interface Mark {
  /** The sum of the labels' weights. */
  weight: number;
  /** Weighted sums over the labels: of the score minus its expectation, and of the expectation. */
  residual: number;
  expected: number;
}

interface Prompt extends Design {
  readonly digest: string;
  /** In the order of SKILLS. */
  readonly skills: readonly number[];
  readonly lengths: Lengths;
  readonly lessons: Map<string, Evident>;
}

export interface LabelledPrompt extends Prompt {
  readonly marks: ReadonlyMap<string, Mark>;
}

/** One card's labels for display: counts and sums of scores by SKILLS, each label divided among its prompt's skills. */
interface Counts {
  labels: number;
  newestMs: number;
  readonly seen: number[];
  readonly scored: number[];
}

export class Evidence {
  #prompts = new Map<string, Prompt>();
  #dropped: Evident[] = [];
  #drifts: Drifts = {};
  readonly #isDriftWatched: boolean;

  /** Changes of models are only ignored to measure what watching for them gains. */
  constructor(isDriftWatched = true) {
    this.#isDriftWatched = isDriftWatched;
  }

  /** Adds a lesson or replaces the one with its id. False if nothing is new. */
  put(row: Float32Array, lesson: Evident): boolean {
    const digest = digestRow(row);
    const prompt = this.#prompts.get(digest) ?? makePrompt(digest, row);
    this.#prompts.set(digest, prompt);
    const name = `${lesson.accountId} ${lesson.id}`;
    const before = prompt.lessons.get(name);
    if (before?.atMs === lesson.atMs && before.marks.length === lesson.marks.length) return false;
    prompt.lessons.set(name, lesson);
    if (this.#prompts.size > 2 * PROMPTS_MAX) this.#thin();
    return true;
  }

  /** Returns the lessons dropped since the last call because there were too many prompts. */
  takeDropped(): readonly Evident[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }

  get size(): number {
    return this.#prompts.size;
  }

  /** The last change of each model that has become worse or better, by model. */
  get drifts(): Drifts {
    return this.#drifts;
  }

  /** Takes over changes that were found when older scores still existed. */
  recall(drifts: Drifts): void {
    for (const [model, drift] of Object.entries(drifts))
      this.#drifts = { ...this.#drifts, [model]: chooseLater(this.#drifts[model], drift) };
  }

  forget(model: string): void {
    const { [model]: _, ...others } = this.#drifts;
    this.#drifts = others;
    for (const [digest, { lessons }] of this.#prompts) {
      for (const [id, lesson] of lessons) {
        const marks = lesson.marks.filter((mark) => mark.model !== model);
        if (marks.length === 0) lessons.delete(id);
        else lessons.set(id, { ...lesson, marks });
      }
      if (lessons.size === 0) this.#prompts.delete(digest);
    }
  }

  /** Sums up and counts each prompt's scores as of a moment, in an order that doesn't depend on their arrival. */
  *sumUp(asOfMs: number) {
    this.#thin();
    const counts = new Map<string, Counts>();
    const feedback: UserScore[] = [];
    const ordered = [...this.#prompts.values()].sort(compareDigests);
    if (this.#isDriftWatched) this.recall(yield* findDrifts(ordered));
    const sums = { asOfMs, feedback, counts, drifts: this.#drifts };
    const prompts = yield* mapInSlices(ordered, (prompt) => ({ ...prompt, marks: sumMarks(prompt, sums) }));
    for (const { digest, lessons } of prompts) if (lessons.size === 0) this.#prompts.delete(digest);
    return {
      prompts: prompts.filter(({ marks }) => marks.size > 0),
      feedback,
      views: [...counts].map(([model, own]) => viewCounts(model, own)),
    };
  }

  /**
   * If there are too many prompts, the most common topics keep the same number each: those with the lowest digests, a
   * random choice that is the same on every node and for any order of arrival. Labels are kept before users' scores.
   */
  #thin(): void {
    if (this.#prompts.size <= PROMPTS_MAX) return;
    const topics = [...Map.groupBy(this.#prompts.values(), ({ topic }) => topic).values()];
    let most = 0;
    while (topics.reduce((sum, { length }) => sum + Math.min(length, most + 1), 0) <= PROMPTS_MAX) most++;
    for (const own of topics) {
      if (own.length <= most) continue;
      own.sort((a, b) => Number(isLabelled(b)) - Number(isLabelled(a)) || compareDigests(a, b));
      for (const { digest, lessons } of own.slice(most)) {
        this.#prompts.delete(digest);
        this.#dropped.push(...lessons.values());
      }
    }
  }
}

function makePrompt(digest: string, row: Float32Array): Prompt {
  const skills = readSkills(row);
  const lengths = readLengths(row);
  return { digest, ...readDesign(row), skills, lengths, lessons: new Map() };
}

function isLabelled({ lessons }: Prompt): boolean {
  return lessons.values().some(({ keyId }) => !keyId);
}

function compareDigests(a: Prompt, b: Prompt): number {
  return a.digest < b.digest ? -1 : 1;
}

function chooseLater(one: Drift | undefined, other: Drift): Drift {
  return one !== undefined && one.sinceMs > other.sinceMs ? one : other;
}

/** Looks for a change of each model in its scores by users. */
function* findDrifts(prompts: readonly Prompt[]): Generator<void, Drifts> {
  const lessons = prompts.flatMap((prompt) => [...prompt.lessons.values()].filter(isScore));
  const isSingle = new Set(lessons.map(({ accountId }) => accountId)).size === 1;
  yield;
  const models = new Map<string, Reading[]>();
  yield* mapInSlices(lessons, ({ accountId, keyId = "", id, atMs, marks }) => {
    const voice = isSingle ? keyId : accountId;
    for (const { model, score, expected } of marks) {
      const readings = models.get(model) ?? [];
      models.set(model, readings);
      readings.push({ id: `${accountId} ${id}`, atMs, voice, score, expected });
    }
  });
  const drifts: Record<string, Drift> = {};
  for (const [model, readings] of models) {
    const drift = findDrift(readings);
    if (drift !== null) drifts[model] = drift;
    yield;
  }
  return drifts;
}

/** Signals only come from broken answers, so they don't tell whether a model's answers have become worse. */
function isScore({ keyId, source }: Evident): boolean {
  return Boolean(keyId) && source !== "signal";
}

interface Sums {
  readonly asOfMs: number;
  readonly drifts: Drifts;
  readonly feedback: UserScore[];
  readonly counts: Map<string, Counts>;
}

function sumMarks(
  { lessons, skills, phi }: Prompt,
  { asOfMs, drifts, feedback, counts }: Sums,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [name, lesson] of [...lessons].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const age = Math.max(0, asOfMs - lesson.atMs);
    if (age > LESSON_AGE_MAX_MS) {
      lessons.delete(name);
      continue;
    }
    const whole = lesson.weight * 2 ** -(age / LESSON_HALF_LIFE_MS);
    for (const { model, score, expected } of lesson.marks) {
      const isBefore = lesson.atMs < (drifts[model]?.sinceMs ?? Number.NEGATIVE_INFINITY);
      const weight = isBefore ? BEFORE_SHARE * whole : whole;
      count(counts, { model, score, atMs: lesson.atMs }, skills);
      if (lesson.keyId) {
        const { accountId, keyId } = lesson;
        feedback.push({ accountId, keyId, model, weight, residual: score - expected, phi });
        continue;
      }
      const mark = marks.get(model) ?? { weight: 0, residual: 0, expected: 0 };
      marks.set(model, mark);
      mark.weight += weight;
      mark.residual += weight * (score - expected);
      mark.expected += weight * expected;
    }
  }
  return marks;
}

function count(
  counts: Map<string, Counts>,
  { model, score, atMs }: { readonly model: string; readonly score: number; readonly atMs: number },
  skills: readonly number[],
): void {
  const sums = { seen: SKILLS.map(() => 0), scored: SKILLS.map(() => 0) };
  const own = counts.get(model) ?? { labels: 0, newestMs: 0, ...sums };
  counts.set(model, own);
  own.labels++;
  own.newestMs = Math.max(own.newestMs, atMs);
  for (const [at, share] of skills.entries()) {
    own.seen[at] = (own.seen[at] ?? 0) + share;
    own.scored[at] = (own.scored[at] ?? 0) + share * score;
  }
}

function viewCounts(model: string, { labels, newestMs, seen, scored }: Counts): TaughtView {
  const categories: Record<string, { labels: number; score: number }> = {};
  for (const [at, skill] of SKILLS.entries()) {
    const count = seen[at] ?? 0;
    if (count < 0.5) continue;
    const score = Math.round(((scored[at] ?? 0) / count) * 1000) / 1000;
    categories[skill] = { labels: Math.round(count * 10) / 10, score };
  }
  return { model, labels, as_of: formatDay(newestMs), categories };
}

/** Equal requests have equal rows. */
function digestRow(row: Float32Array): string {
  return Bun.hash.wyhash(new Uint8Array(row.buffer, row.byteOffset, row.byteLength)).toString(36);
}
