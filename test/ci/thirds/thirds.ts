// Steps that cost most a row and follow a subject: whole where a change touches it, else a third of their files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Push } from "../change.ts";

export const FOLLOWS_FILE = "test/ci/thirds/follows.data.json";
/** As many runs see each file once. */
export const THIRDS = 3;

/** The folders that each step follows, by its name. */
export type Follows = Readonly<Record<string, readonly string[]>>;

/** The file, in which a folder that a step no longer follows is a debt. */
export interface FollowsRecord {
  readonly follows: Follows;
  readonly debts: readonly {
    readonly step: string;
    readonly folder: string;
    readonly reason: string;
    /** The last day on which it is allowed, such as `2027-01-31`. */
    readonly until: string;
  }[];
}

export function readFollows(root: string): FollowsRecord {
  return JSON.parse(readFileSync(join(root, FOLLOWS_FILE), "utf8"));
}

/** Returns the third of a file, from 0. It changes with nothing but its path. */
export function findThird(file: string): number {
  return Bun.hash.crc32(file) % THIRDS;
}

/** Returns the third that is due, from 0; null if a step runs whole, as where the commits aren't all there to be counted. */
export function findDue(step: string, push: Push | null, follows: Follows): number | null {
  const folders = follows[step];
  if (folders === undefined || push === null) return null;
  const isTouched = push.files.some((file) => folders.some((folder) => file.startsWith(folder)));
  return isTouched ? null : push.count % THIRDS;
}

/** The part of each step that a run takes. */
export class Due {
  readonly #find: (step: string) => number | null;

  /** `push` is null for a run that takes all. */
  constructor(push: Push | null, follows: Follows) {
    this.#find = (step) => findDue(step, push, follows);
  }

  /** Tells whether a file, or a program by its name, is in the part of its step. */
  has(step: string, name: string): boolean {
    const third = this.#find(step);
    return third === null || findThird(name) === third;
  }

  /** Returns for instance `, third 2 of 3: 20 files`; nothing for a step that runs whole. */
  describe(step: string, files: number): string {
    const third = this.#find(step);
    return third === null ? "" : `, third ${third + 1} of ${THIRDS}: ${files} files`;
  }
}
