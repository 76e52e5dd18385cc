// What a run prints of its steps: each as it ends, and all of them in a table.
import { readFileSync } from "node:fs";
import type { Outcome } from "./row.ts";

const SHOWN_MAX = 200_000;
const SAMPLE_MS = 500;
const FAILURE = /^(\(fail\)|MISSED|error: )/;
const LINES_AFTER = 12;
const EXCERPTS_MAX = 20_000;

/** All that a red step has printed, or one line. */
export function describeOutcome(outcome: Outcome): string {
  const { name, passed, failed, seconds, cpu, text } = outcome;
  const sums = `${passed} passed, ${failed} failed (${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of CPU)`;
  return failed === 0
    ? `(pass) ${name}: ${sums}`
    : `== ${name}\n${text.slice(-SHOWN_MAX)}\n(fail) ${name}: ${sums}`;
}

/** The lines of red steps that tell of a failure, once more. */
export function listFailures(outcomes: readonly Outcome[]): string {
  const found = outcomes
    .filter(({ failed }) => failed > 0)
    .flatMap(({ name, text }) => {
      const lines = text.split("\n");
      const isShown = (at: number) =>
        lines.slice(Math.max(0, at - LINES_AFTER), at + 1).some((line) => FAILURE.test(line));
      return [`== ${name}`, ...lines.filter((_, at) => isShown(at)).map((line) => `  ${line}`)];
    });
  return found.join("\n").slice(0, EXCERPTS_MAX);
}

export interface Times {
  readonly [name: string]: { readonly seconds: number; readonly cpu: number; readonly rows: number };
}

/** Returns the time of each step, in tenths of a second. */
export function listTimes(outcomes: readonly Outcome[]): Times {
  const round = (seconds: number) => Math.round(seconds * 10) / 10;
  return Object.fromEntries(
    outcomes.map(({ name, seconds, cpu, passed, failed }) => [
      name,
      { seconds: round(seconds), cpu: round(cpu), rows: passed + failed },
    ]),
  );
}

export function writeTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, passed, failed, seconds, cpu }) => [
    name,
    String(passed),
    String(failed),
    seconds.toFixed(1),
    cpu.toFixed(1),
  ]);
  const all = [["step", "passed", "failed", "seconds", "CPU"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const write = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return all.map(write).join("\n");
}

/** Tells how much of the time fewer processes could run than there are cores, on a machine that says so. */
export class IdleWatch {
  #samples = 0;
  #idle = 0;
  readonly #cores: number;
  readonly #timer: Timer;

  constructor(cores: number) {
    this.#cores = cores;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  #sample(): void {
    // One of them is this program, which reads it.
    const able = Number(/ (\d+)\/\d+ /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1]) - 1;
    this.#samples++;
    if (able < this.#cores) this.#idle++;
  }

  /** Returns the share, from 0 to 1. */
  end(): number {
    clearInterval(this.#timer);
    return this.#samples === 0 ? 0 : this.#idle / this.#samples;
  }
}
