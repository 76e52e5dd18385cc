// The lessons that are learned from, by prompt: one row of numbers each, and all scores of answers to it.
import { SKILLS } from "../../core/skill.ts";
import { type Lengths, readLengths, readSkills } from "../predictor.ts";
import { type Design, readDesign } from "./design.ts";
import { type TrustKey, trustKeys } from "./keys.ts";
import type { Labelled, Mark } from "./labelled.ts";

/** Models and prompts change: what a lesson says is half as much after this time. */
export const LESSON_HALF_LIFE_MS = 30 * 86_400_000;
/** Older lessons are left out, because they would weigh an eighth at most. */
export const LESSON_AGE_MAX_MS = 90 * 86_400_000;
/** Prompts beyond these are left out: more say little more, and working them out takes longer. */
const PROMPTS_MAX = 4000;
/** Prompts between two slices of work. */
const SLICE = 20;

/** The scores of one lesson. */
export interface Evident {
  /** The store's: its account and its id. */
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  /** The key whose request was scored; empty, or left out: a label. */
  readonly keyId?: string;
  /** The weight of each score, 0…1: less for a signal than for a judgment. */
  readonly weight: number;
  readonly marks: readonly {
    /** The card's id. */
    readonly model: string;
    /** 0…1. */
    readonly score: number;
    /** The quality that was predicted without anything learned. */
    readonly expected: number;
  }[];
}

/** One card's labels, counted for people: by SKILLS, and the sum of their scores, each label shared out by its mixture. */
export interface Counts {
  labels: number;
  readonly seen: Float64Array;
  readonly scored: Float64Array;
}

interface Prompt extends Design {
  readonly digest: string;
  readonly topic: number;
  /** By SKILLS. */
  readonly skills: readonly number[];
  readonly lengths: Lengths;
  readonly lessons: Map<string, Evident>;
}

export class Evidence {
  #prompts = new Map<string, Prompt>();
  #dropped: Evident[] = [];

  /** Takes a lesson in, in place of what was there of its id; false if nothing is new. */
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

  /** The lessons that were left out since this was asked last, since there were too many prompts. */
  takeDropped(): readonly Evident[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }

  get size(): number {
    return this.#prompts.size;
  }

  forget(model: string): void {
    for (const [digest, { lessons }] of this.#prompts) {
      for (const [id, lesson] of lessons) {
        const marks = lesson.marks.filter((mark) => mark.model !== model);
        if (marks.length === 0) lessons.delete(id);
        else lessons.set(id, { ...lesson, marks });
      }
      if (lessons.size === 0) this.#prompts.delete(digest);
    }
  }

  /** Sums up the scores of each prompt as of a moment, in the same order whenever they came; and counts them. */
  *sumUp(asOfMs: number): Generator<void, SummedUp> {
    this.#thin();
    const prompts: Labelled[] = [];
    const counts = new Map<string, Counts>();
    const trust = trustKeys([...this.#prompts.values()].flatMap(({ lessons }) => [...lessons.values()]));
    yield;
    const ordered = [...this.#prompts.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1));
    for (const [at, prompt] of ordered.entries()) {
      const marks = sumMarks(prompt, { asOfMs, trust, counts });
      if (marks.size > 0) prompts.push({ ...pickDesign(prompt), marks });
      else this.#prompts.delete(prompt.digest);
      if (at % SLICE === SLICE - 1) yield;
    }
    return { prompts, counts };
  }

  /**
   * Where there are too many prompts, the commonest topics keep so many each. Those of the lowest digests stay: a choice at
   * random that every node makes alike, in whatever order the prompts came.
   */
  #thin(): void {
    if (this.#prompts.size <= PROMPTS_MAX) return;
    const topics = [...Map.groupBy(this.#prompts.values(), ({ topic }) => topic).values()];
    const most = shareOut(
      topics.map(({ length }) => length),
      PROMPTS_MAX,
    );
    for (const own of topics) {
      if (own.length <= most) continue;
      own.sort((a, b) => (a.digest < b.digest ? -1 : 1));
      for (const { digest, lessons } of own.slice(most)) {
        this.#prompts.delete(digest);
        this.#dropped.push(...lessons.values());
      }
    }
  }
}

export interface SummedUp {
  readonly prompts: readonly Labelled[];
  readonly counts: ReadonlyMap<string, Counts>;
}

function makePrompt(digest: string, row: Float32Array): Prompt {
  const { phi, top, topic } = readDesign(row);
  return { digest, phi, top, topic, skills: readSkills(row), lengths: readLengths(row), lessons: new Map() };
}

function pickDesign({ phi, top, topic, lengths }: Prompt) {
  return { phi, top, topic, lengths };
}

interface Summing {
  readonly asOfMs: number;
  readonly trust: TrustKey;
  readonly counts: Map<string, Counts>;
}

function sumMarks(
  { lessons, skills }: Prompt,
  { asOfMs, trust, counts }: Summing,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [name, lesson] of [...lessons].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const age = Math.max(0, asOfMs - lesson.atMs);
    if (age > LESSON_AGE_MAX_MS) {
      lessons.delete(name);
      continue;
    }
    const aged = lesson.weight * 2 ** -(age / LESSON_HALF_LIFE_MS);
    for (const { model, score, expected } of lesson.marks) {
      const weight = aged * trust(lesson.keyId ?? "", model);
      if (!(weight > 0)) continue;
      const mark = marks.get(model) ?? { weight: 0, residual: 0, expected: 0 };
      marks.set(model, mark);
      mark.weight += weight;
      mark.residual += weight * (score - expected);
      mark.expected += weight * expected;
      count(counts, model, score, skills);
    }
  }
  return marks;
}

function count(counts: Map<string, Counts>, model: string, score: number, skills: readonly number[]): void {
  const own = counts.get(model) ?? startCounts();
  counts.set(model, own);
  own.labels++;
  for (let at = 0; at < SKILLS.length; at++) {
    const share = skills[at] ?? 0;
    own.seen[at] = (own.seen[at] ?? 0) + share;
    own.scored[at] = (own.scored[at] ?? 0) + share * score;
  }
}

function startCounts(): Counts {
  return { labels: 0, seen: new Float64Array(SKILLS.length), scored: new Float64Array(SKILLS.length) };
}

/** The most that each may have so that all together have no more than a total; who has less keeps all. */
function shareOut(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [at, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (size > share) return share;
    left -= size;
  }
  return total;
}

/** Equal requests have equal rows. */
function digestRow(row: Float32Array): string {
  return Bun.hash.wyhash(new Uint8Array(row.buffer, row.byteOffset, row.byteLength)).toString(36);
}
