// Runs one step: its program, or its files through `test/run.ts`, which says what failed in each.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, runCommand } from "./process.ts";
import type { FileFailure, Outcome, Step } from "./row.ts";
import { BINARY } from "./steps.ts";

const CLOSING = /^(\d+) passed, (\d+) failed/gm;
/** A run of the long form takes as many times as long. */
const LONG = 20;

interface Results {
  readonly passed: number;
  readonly failed: number;
  /** The words for how busy the machine is, if it is too busy for limits of time. */
  readonly busy: string | null;
  readonly files: readonly FileSum[];
}

interface FileSum {
  readonly file: string;
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: number;
  readonly units: number | null;
}

export interface FileRun {
  readonly root: string;
  readonly files: readonly string[];
  readonly atOnce: number;
  readonly minutes: number;
  readonly env: Readonly<Record<string, string>>;
}

type Result = Omit<Outcome, "name">;

/** Runs test files beside each other. */
export function runFiles({ files, atOnce, ...limits }: FileRun): Promise<Result> {
  return runTests([process.execPath, "test/run.ts", "--at-once", String(atOnce), ...files], limits);
}

/** Runs a program that runs test files. */
async function runTests(
  command: readonly string[],
  { root, minutes, env }: Pick<FileRun, "root" | "minutes" | "env">,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-results-"));
  const path = join(folder, "results.json");
  const ran = await runCommand(command, { cwd: root, minutes, env: { ...env, TEST_RESULTS: path } });
  const results: Results | null = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
  rmSync(folder, { recursive: true, force: true });
  if (results === null) return { ...ran, passed: 0, failed: 1, files: [] };
  const failures = results.files
    .filter(({ failed }) => failed.length > 0)
    .map(({ file, failed }): FileFailure => ({ file, titles: failed }));
  // A run that ends badly without a failed test is red, whatever it counted.
  const failed = results.failed === 0 && ran.code !== 0 ? 1 : results.failed;
  const { busy } = results;
  const whole = listWhole(results.files);
  const units = results.files.flatMap((one) => (one.units === null ? [] : [[one.file, one.units] as const]));
  return {
    ...ran,
    passed: results.passed,
    failed,
    files: failures,
    whole,
    units,
    ...(busy !== null && { busy }),
  };
}

/** Returns the files that have run with all of their rows: what one lacks, for instance an install, another step may have. */
export function listWhole(files: readonly FileSum[]): readonly string[] {
  return files
    .filter(({ passed, failed, skipped }) => passed + failed.length > 0 && skipped === 0)
    .map(({ file }) => file);
}

/** From tests that aren't about it, what stands beside the checkout is hidden: a stranger's clone hasn't it. */
export function makeEnvironment(root: string, step: Step): Readonly<Record<string, string>> {
  const { work, measures } = step;
  const isHidden = "under" in work ? work.importing === undefined && !measures : work.reportsFiles;
  return { ...nameBinary(root, step), ...(isHidden && { TEST_BESIDE: "nothing" }) };
}

/** Names the binary once it is built: for all that the step starts, or for its tests' processes, not their own gateways. */
function nameBinary(root: string, { needs, work }: Step): Readonly<Record<string, string>> {
  if (!needs.includes("build")) return {};
  const binary = join(root, BINARY);
  if (work.onBinary) return { POUNDKEY_BINARY: binary };
  // A program that changes the sources means them.
  return "command" in work ? {} : { POUNDKEY_BUILT: binary };
}

function count(ran: Ran, isOne: boolean): { passed: number; failed: number } {
  const isGood = ran.code === 0;
  if (isOne) return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1 };
  const [, passed = 0, failed = 0] = [...ran.text.matchAll(CLOSING)].at(-1)?.map(Number) ?? [];
  return { passed, failed: failed === 0 && !isGood ? 1 : failed };
}

export async function runStep(
  step: Step,
  files: readonly string[],
  { root, isLong, busy }: { readonly root: string; readonly isLong: boolean; readonly busy: string | null },
): Promise<Outcome> {
  const { name, work } = step;
  const minutes = isLong ? step.minutes * LONG : step.minutes;
  const env = { ...makeEnvironment(root, step), ...(busy !== null && { TEST_BUSY: busy }) };
  if ("command" in work) {
    if (work.reportsFiles) return { name, ...(await runTests(work.command, { root, minutes, env })) };
    const ran = await runCommand(work.command, { cwd: root, minutes, env });
    return { name, ...ran, ...count(ran, work.isOne ?? false), files: [] };
  }
  if (files.length === 0) return { name, passed: 0, failed: 0, files: [], seconds: 0, cpu: 0, text: "" };
  return { name, ...(await runFiles({ root, files, atOnce: work.atOnce, minutes, env })) };
}
