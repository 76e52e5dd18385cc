// The lines that a run prints of its steps: each as it ends, and all of them in a table.
import { readFileSync } from "node:fs";
import type { StepTime } from "../runner/timings.ts";
import type { Outcome } from "./row.ts";

const SHOWN_MAX = 200_000;
const SAMPLE_MS = 500;
const FAILURE = /^(\(fail\)|MISSED|error: )/;
const LINES_AFTER = 12;
const LINES_LAST = 30;
const EXCERPTS_MAX = 20_000;

/** Counts seconds of CPU in units. */
export interface Count {
  count(cpuSeconds: number): number;
}

/** All that a red step has printed, or one line, and those that say what it skipped. */
export function describeOutcome(outcome: Outcome, yardstick: Count): string {
  const { name, passed, failed, seconds, cpu, text } = outcome;
  const sums = `${passed} passed, ${failed} failed (${seconds.toFixed(0)} s, ${yardstick.count(cpu).toFixed(1)} units)`;
  return failed === 0
    ? [`(pass) ${name}: ${sums}`, ...listSkipped(text)].join("\n")
    : `== ${name}\n${text.slice(-SHOWN_MAX)}\n(fail) ${name}: ${sums}`;
}

/** Several files may say the same. */
function listSkipped(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith("skipped: "));
  return [...new Set(lines)].map((line) => `  ${line}`);
}

/** The lines of red steps that tell of a failure, once more. */
export function listFailures(outcomes: readonly Outcome[]): string {
  const red = outcomes.filter(({ failed }) => failed > 0);
  const found = red.flatMap(({ name, text }) => [
    `== ${name}`,
    ...takeLines(text).map((line) => `  ${line}`),
  ]);
  return found.join("\n").slice(0, EXCERPTS_MAX);
}

/** Returns those around the failures that it names, or the last. */
function takeLines(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n");
  const isShown = (at: number) =>
    lines.slice(Math.max(0, at - LINES_AFTER), at + 1).some((line) => FAILURE.test(line));
  const shown = lines.filter((_, at) => isShown(at));
  return shown.length > 0 ? shown : lines.slice(-LINES_LAST);
}

/** Returns the time of each step, in tenths of a second and of a unit. */
export function listTimes(
  outcomes: readonly Outcome[],
  yardstick: Count,
): Readonly<Record<string, StepTime>> {
  const round = (value: number, digits = 1) => Number(value.toFixed(digits));
  return Object.fromEntries(
    outcomes.map(({ name, seconds, cpu, passed, failed }) => [
      name,
      {
        seconds: round(seconds),
        units: round(yardstick.count(cpu)),
        cores: round(cpu / Math.max(seconds, 1), 2),
        rows: passed + failed,
      },
    ]),
  );
}

export function writeTable(outcomes: readonly Outcome[], yardstick: Count): string {
  const rows = outcomes.map(({ name, passed, failed, seconds, cpu }) => [
    name,
    String(passed),
    String(failed),
    seconds.toFixed(1),
    yardstick.count(cpu).toFixed(1),
  ]);
  const all = [["step", "passed", "failed", "seconds", "units"], ...rows];
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
