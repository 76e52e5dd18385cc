// Runs each file with a failed row once more, alone, and says in the open what that changes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Graph } from "../runner/graph.ts";
import type { Change } from "./change.ts";
import { FLAKY_FILE, NEVER_AGAIN, readRows } from "./flaky.ts";
import type { FileFailure, Outcome, Step } from "./row.ts";
import { makeEnvironment, runFiles } from "./run-step.ts";
import type { MainLine } from "./thirds/main-line.ts";
import type { Follows } from "./thirds/thirds.ts";
import { judgeRows, judgeTries, TRIES_MAX, type Tried } from "./verdicts.ts";

/** Read by the tests' program and by this one, not by a test. */
const READ_BY_NONE = /\.md$|^src\/(docs|changes)\/|^test\/(ci|runner)\/.*\.data\.json$/;
/** For a file of the gate. */
const TRY_MINUTES = 5;
const TEST = /\.test\.tsx?$/;

/** Tells whether a change reaches a test file: it, or something that it imports. A file that nobody imports may be read by any. */
export function makeReach({ files }: Pick<Change, "files">, graph: Graph): (test: string) => boolean {
  if (files === null) return () => true;
  const known = files.filter((file) => graph.has(file) || TEST.test(file));
  const isAnyRead = files.some((file) => !known.includes(file) && !READ_BY_NONE.test(file));
  return (test) => {
    const reached = graph.reach(test);
    return isAnyRead || known.some((file) => reached.has(file));
  };
}

interface Setting {
  /** For the steps of which a row may have gone unseen for some changes. */
  readonly mainLine: MainLine;
  readonly follows: Follows;
  readonly root: string;
  readonly steps: readonly Step[];
  readonly change: Change;
  readonly graph: Graph;
  readonly today: string;
  readonly print: (text: string) => void;
}

export class SecondTries {
  readonly #setting: Setting;
  /** Of the gate too, since so many in a run are too many. */
  readonly #tried: Tried[] = [];

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Returns how many of the rows that have failed until now are green after all, and the faults of the list. */
  async judge(outcomes: readonly Outcome[]): Promise<{ settled: number; faults: number }> {
    const { root, change, graph, today, print } = this.#setting;
    const failed = outcomes.flatMap(({ name, files }) => files.map((one) => ({ ...one, step: name })));
    for (const one of failed) {
      const mayPass = failed.length <= TRIES_MAX && !NEVER_AGAIN.some((start) => one.file.startsWith(start));
      const hasPassed = mayPass ? await this.#tryOnce(one, one.step) : null;
      const isRedBefore = hasPassed === false ? await this.#askMainLine(one.file, one.step) : null;
      this.#tried.push({ ...one, hasPassed, ...(isRedBefore !== null && { isRedBefore }) });
    }
    const rows = readRows(readFileSync(join(root, FLAKY_FILE), "utf8"));
    const list = { rows, rowsBefore: change.rows, reaches: makeReach(change, graph), today };
    const verdicts = judgeTries({ tried: this.#tried, ...list });
    for (const { file, titles, isGreen, says } of verdicts)
      print(
        `${isGreen ? "FLAKY" : "(fail)"} ${file}: ${says}${titles.map((title) => `\n  ${title}`).join("")}`,
      );
    const faults = judgeRows(list);
    for (const fault of faults) print(`(fail) ${FLAKY_FILE}: ${fault}`);
    const green = verdicts.filter(({ isGreen }) => isGreen);
    return { settled: green.reduce((sum, { titles }) => sum + titles.length, 0), faults: faults.length };
  }

  async #askMainLine(file: string, name: string): Promise<string | null> {
    const { steps, follows, mainLine } = this.#setting;
    const step = steps.find((one) => one.name === name && follows[name] !== undefined);
    return step === undefined ? null : mainLine.judge(file, step);
  }

  async #tryOnce({ file, titles }: FileFailure, step: string): Promise<boolean> {
    const { root, steps, print } = this.#setting;
    print(`== once more, alone: ${file} (${titles.join("; ")})`);
    const row = steps.find(({ name }) => name === step);
    const env = row === undefined ? {} : makeEnvironment(root, row);
    const ran = await runFiles({ root, files: [file], atOnce: 1, minutes: row?.minutes ?? TRY_MINUTES, env });
    print(ran.text);
    return ran.failed === 0 && ran.passed > 0;
  }
}
