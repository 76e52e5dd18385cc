// The words by which an agent starts this program from any folder.
import { join } from "node:path";
import { describeProgram } from "../../app/program.ts";

const LAUNCHER = "launch.mjs";
/** Folders that these empty by themselves. */
const PASSING: readonly string[] = ["npx poundkey", "bunx poundkey"];

/** Returns null for a program that has no lasting place. */
export function findThisProgram(): readonly [string, ...string[]] | null {
  const { built, cwd, name } = describeProgram();
  if (PASSING.includes(name)) return null;
  if (cwd !== undefined && built !== null) return [join(built, LAUNCHER)];
  return built === null ? [process.execPath, process.argv[1] ?? ""] : [process.execPath];
}
