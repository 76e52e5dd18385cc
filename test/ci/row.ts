// A step of the whole run as a row of data, and what became of it.

/** A program. */
export interface Command {
  readonly command: readonly string[];
  /** It is one test by its exit code. Otherwise one of its lines must say `N passed, N failed`. */
  readonly isOne?: boolean;
  /** It starts the binary. */
  readonly onBinary?: boolean;
  /** It runs test files, and says in `TEST_RESULTS` what became of each. */
  readonly reportsFiles?: boolean;
}

/** Test files, of which each belongs to the first step that takes it. */
export interface Files {
  /** Beginnings of paths. */
  readonly under: readonly string[];
  /** Takes only files that start processes, threads or database servers. */
  readonly starting?: boolean;
  readonly atOnce: number;
  /** Needs what isn't there yet at the gate, or takes minutes: no test near a change there. */
  readonly isApart?: boolean;
  /** Runs the scenarios against the binary rather than in the test's own process. */
  readonly onBinary?: boolean;
  /** Takes those that import this file, directly or through others, once more than the step that they belong to. */
  readonly importing?: string;
}

export interface Step {
  readonly name: string;
  /** The installs and steps that must have ended before. */
  readonly needs: readonly string[];
  /** Ended, and red, beyond these: several times what it takes on a quiet machine. */
  readonly minutes: number;
  readonly work: Command | Files;
  /** Runs before all others, and ends the run if it is red: in both, in `npm run check` alone, or in the whole run alone. */
  readonly gate?: "both" | "check" | "whole";
  /** Measures something, so it runs alone, after all others. */
  readonly measures?: boolean;
}

/** A test file with a failed row. */
export interface FileFailure {
  readonly file: string;
  readonly titles: readonly string[];
}

export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** The part of the failures that a second try may settle. */
  readonly files: readonly FileFailure[];
  readonly seconds: number;
  /** Of the step's processes and those that they waited for, in seconds. */
  readonly cpu: number;
  readonly text: string;
  /** The test files that it has run with all of their rows. */
  readonly whole?: readonly string[];
  /** The units of its test files. */
  readonly units?: readonly (readonly [file: string, units: number])[];
  /** The words for how busy the machine is, if the step found it too busy for limits of time. */
  readonly busy?: string;
}
