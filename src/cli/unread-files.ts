// The files of the working folder that nothing reads, where configuration and store lie in the user's own folders.
import { existsSync } from "node:fs";
import type { Environment } from "../config/interpolate.ts";
import { findPlaces, IN_FOLDER } from "../config/places.ts";

/** A worker's parent has said it. */
const WORKER = "POUNDKEY_WORKER_PORT";

const FILES = [
  { path: IN_FOLDER.config, flag: "--config", variable: null },
  { path: IN_FOLDER.data, flag: "--store", variable: "POUNDKEY_STORE" },
] as const;

/** Returns the sentence that names those that are there and whose flags aren't given. Null without any. */
export function describeUnreadFiles(args: readonly string[], env: Environment["env"]): string | null {
  if (findPlaces(env).kind === "folder" || env(WORKER) !== undefined) return null;
  const isGiven = (flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const unread = FILES.filter(
    ({ path, flag, variable }) => !isGiven(flag) && !(variable && env(variable)) && existsSync(path),
  );
  if (unread.length === 0) return null;
  const paths = unread.map(({ path }) => `./${path}`);
  const flags = unread.map(({ flag }) => flag);
  const verb = unread.length === 1 ? "is" : "are";
  return `${paths.join(" and ")} of this folder ${verb} not read: name what you want by ${flags.join(" and ")}`;
}
