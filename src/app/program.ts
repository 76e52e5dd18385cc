// The form of this program: the sources, one binary, or packed for npm. Each has its files elsewhere and starts in another way.
import { basename, join } from "node:path";

/** Set by the build of the package. */
declare const POUNDKEY_PACKED: boolean | undefined;

/** The package's file without any setting, in the place of the working folder's `bunfig.toml`. */
export const NO_SETTINGS = "no-settings.toml";
/** The package's file without any path, in the place of the working folder's, or of one above the package. */
export const NO_PATHS = "tsconfig.json";

interface RunningProgram {
  /** The folder with the console and the manual, each compressed by the build. Null if they are made from the sources. */
  readonly built: string | null;
  /** The folder of the files for deployments. */
  readonly deploy: string;
  /** The command line that starts this process again, and the folder to start it in if that isn't the working folder. */
  readonly command: readonly string[];
  readonly cwd?: string;
  /** The words by which a person starts it. */
  readonly name: string;
}

/** The variable by which the launcher tells in which folder it was called. */
const FOLDER = "POUNDKEY_FOLDER";

/**
 * Enters the folder in which a person called the program. The packed one starts in its own, and with settings of its own: in
 * a working folder, Bun would run what `bunfig.toml` preloads and `tsconfig.json` names, and take `.env` for environment.
 * Threads that begin later still open its `tsconfig.json`, for which the flags leave no effect.
 */
export function enterWorkingFolder(): void {
  const folder = process.env[FOLDER];
  if (folder && describeProgram().cwd !== undefined) process.chdir(folder);
}

/** Describes this process's program. */
export function describeProgram(): RunningProgram {
  const { execPath, argv } = process;
  const here = import.meta.dir;
  if (Bun.isStandaloneExecutable) {
    const command = [execPath, ...argv.slice(2)];
    return { built: here, deploy: join(here, "deploy"), command, name: "poundkey" };
  }
  if (typeof POUNDKEY_PACKED !== "undefined") {
    const command = [execPath, ...listFlags(here), ...argv.slice(1)];
    return { built: here, deploy: join(here, "deploy"), command, cwd: here, name: namePacked(here) };
  }
  const command = [execPath, ...argv.slice(1)];
  return { built: null, deploy: join(here, "..", "deploy"), command, name: "npx bun src/main.ts" };
}

/** The main file of the sources and of a package, as the command line of a process has it. */
const MAIN = /[ /](src\/main\.ts|poundkey\/main\.js)( |$)/;

/**
 * True if the process with this program file and command line runs Poundkey. Another copy of it counts too: a person may
 * start a gateway by `npx` and connect to it by an installed one.
 */
export function runsPoundkey({ file, line }: { readonly file: string; readonly line: string }): boolean {
  if (Bun.isStandaloneExecutable && file === process.execPath) return true;
  if (basename(file).startsWith("poundkey")) return true;
  const isRuntime = file === process.execPath || basename(file).startsWith("bun");
  return isRuntime && (MAIN.test(line) || line.includes(` ${join(import.meta.dir, "main.js")}`));
}

/** The launcher passes the same: what Bun would read of the working folder is read of the package. Threads have them too. */
function listFlags(folder: string): readonly string[] {
  const settings = join(folder, NO_SETTINGS);
  const paths = join(folder, NO_PATHS);
  return [`--config=${settings}`, "--no-env-file", `--tsconfig-override=${paths}`];
}

/** `npx` and `bunx` run a package from a folder of their own, in which nothing is on PATH. */
function namePacked(folder: string): string {
  if (folder.includes("/_npx/")) return "npx poundkey";
  return folder.includes("/bunx-") ? "bunx poundkey" : "poundkey";
}
