// The folders and files of agents on this machine, and the agents that are found by them.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { AgentSetup, SetupFile } from "../../docs/site/client-setups.ts";
import { RefusedError } from "./read-settings.ts";

type PlaceEnvironment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /^\$(\w+)(.*)$/;

/** Returns the home folder. Throws a RefusedError without one. */
export function findHome({ HOME }: PlaceEnvironment): string {
  if (HOME && isAbsolute(HOME)) return join(HOME);
  throw new RefusedError("there is no home folder: set HOME");
}

/** Returns the first whose variable is set to an absolute path, or that begins with `~`. */
export function findFolder(folders: readonly string[], env: PlaceEnvironment): string {
  for (const folder of folders) {
    const [, variable, below = ""] = VARIABLE.exec(folder) ?? [];
    if (variable === undefined) return join(findHome(env), folder.replace(/^~/, ""));
    const value = env[variable]?.trim();
    if (value && isAbsolute(value)) return join(value, below);
  }
  throw new RefusedError(`no folder among ${folders.join(", ")}`);
}

/** Returns the first of the file's names that is there, in the agent's folder. */
export function findFile({ folder, names }: SetupFile, env: PlaceEnvironment): string {
  const root = findFolder(folder, env);
  const [first = "", ...others] = names.map((name) => join(root, name));
  return [first, ...others].find((path) => existsSync(path)) ?? first;
}

/** True if one of its programs is on PATH, or one of its places is there. */
export function isFound({ programs, places }: AgentSetup, env: PlaceEnvironment): boolean {
  return existsSync(findFolder(places, env)) || programs.some((program) => isOnPath(program, env));
}

function isOnPath(program: string, { PATH = "" }: PlaceEnvironment): boolean {
  return PATH.split(delimiter).some((folder) => isAbsolute(folder) && isProgram(join(folder, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
