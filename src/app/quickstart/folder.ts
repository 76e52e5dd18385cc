// The folder of a quick start's files: its key, and the one that says where it runs.
import { dirname } from "node:path";
import type { Environment } from "../../config/interpolate.ts";
import { findPlaces } from "../../config/places.ts";
import { formatErrors } from "../start/configuration.ts";
import { findFolderMistake } from "../store-folder.ts";

export const KEY_FILE = "quickstart.key";

/** Beside the database or, for a store on PostgreSQL, where a database would lie. Throws an Error for people if there is none. */
export function findQuickstartFolder(storeAddress: string, env: Environment["env"]): string {
  if (storeAddress.startsWith("sqlite:")) return dirname(storeAddress.slice("sqlite:".length));
  const places = findPlaces(env);
  const mistake = findFolderMistake(places);
  if (mistake !== null) throw new Error(formatErrors([mistake]));
  if (places.data === null)
    throw new Error(`there is no home for ${KEY_FILE}: set HOME, or name a SQLite store with --store`);
  return places.data;
}
