// Where the store, the keys and the configuration lie unless they are named: in the working folder, or in the user's own folders.
import { isAbsolute, join } from "node:path";
import type { Environment } from "./interpolate.ts";

const VARIABLE = "POUNDKEY_PLACES";
const FILE = "poundkey.yaml";
const DATABASE = "poundkey.db";
const PROGRAM = "poundkey";

/** The variables that the places depend on. */
export const PLACE_VARIABLES: readonly string[] = [VARIABLE, "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"];

/** Stands for the address of the store if it has no place. No address that anyone may write is the same. */
export const NO_PLACE = "sqlite:";

/** The places. Null stands for none, because the user has no home. */
export interface Places {
  readonly kind: "folder" | "user";
  /** The configuration's file. It needn't exist. */
  readonly config: string | null;
  /** The folder of the store, its files and the keys. */
  readonly data: string | null;
  /** The store's address. */
  readonly store: string;
}

/** The names in the working folder, where the places are the folder's. */
export const IN_FOLDER = { config: FILE, data: ".poundkey" } as const;

const FOLDER: Places = {
  kind: "folder",
  ...IN_FOLDER,
  store: `sqlite:./${IN_FOLDER.data}/${DATABASE}`,
};

/** Returns what is wrong with the choice of the places, or null. */
export function findPlacesMistake(env: Environment["env"]): string | null {
  const kind = env(VARIABLE);
  return !kind || kind === "folder" || kind === "user"
    ? null
    : `${VARIABLE} must be folder or user, not ${JSON.stringify(kind)}`;
}

/** A choice that `findPlacesMistake` refuses counts as none. */
export function findPlaces(env: Environment["env"]): Places {
  if (env(VARIABLE) !== "user") return FOLDER;
  const settings = findSettingsFolder(env);
  const data = findUserFolder("XDG_DATA_HOME", ".local/share", env);
  return {
    kind: "user",
    config: settings && join(settings, FILE),
    data,
    store: data === null ? NO_PLACE : `sqlite:${join(data, DATABASE)}`,
  };
}

/** Returns the folder of the user's own settings, or null without a home. */
export function findSettingsFolder(env: Environment["env"]): string | null {
  return findUserFolder("XDG_CONFIG_HOME", ".config", env);
}

/** A path that isn't absolute is ignored: it would lead into the working folder, which others may have written. */
function findUserFolder(variable: string, usual: string, env: Environment["env"]): string | null {
  const chosen = env(variable);
  const home = env("HOME");
  if (chosen && isAbsolute(chosen)) return join(chosen, PROGRAM);
  return home && isAbsolute(home) ? join(home, usual, PROGRAM) : null;
}
