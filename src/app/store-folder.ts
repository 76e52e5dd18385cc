// The user's own folder of the store: why nothing is kept in it, if somebody else could change it or there is none.
import { statSync } from "node:fs";
import type { ConfigError } from "../config/errors.ts";
import type { Environment } from "../config/interpolate.ts";
import { findPlaces, NO_PLACE, type Places } from "../config/places.ts";

/** The bits of a mode by which the group and others may write. */
const WRITABLE = 0o022;

const HOMELESS = "there is no home, so name the store: --store sqlite:/PATH/poundkey.db";

/** Returns why the store can't lie in its place. Null for one that is named, and in the working folder. */
export function findPlaceMistake(store: string, env: Environment["env"]): ConfigError | null {
  if (store === NO_PLACE) return describe("HOME", HOMELESS);
  const places = findPlaces(env);
  return store === places.store ? findFolderMistake(places) : null;
}

/** Returns why nothing is kept in the user's own folder. */
export function findFolderMistake({ kind, data }: Pick<Places, "kind" | "data">): ConfigError | null {
  if (kind === "folder" || data === null) return null;
  const message = findUnsafe(data);
  return message === null ? null : describe(data, message);
}

/** Returns why other users could change what lies in the folder, or null. */
function findUnsafe(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const own = process.geteuid?.();
  const named = JSON.stringify(folder);
  if (own !== undefined && stats.uid !== own)
    return `the folder belongs to another user: sudo chown -R "$(id -u)" ${named} && chmod 700 ${named}, or name a store with --store`;
  if ((stats.mode & WRITABLE) !== 0) return `the folder can be written by others: chmod 700 ${named}`;
  return null;
}

/** Nothing in it is hidden: a command with a part of its path left out would help nobody. */
function describe(file: string, message: string): ConfigError {
  return { file, line: 0, column: 0, field: "", message };
}
