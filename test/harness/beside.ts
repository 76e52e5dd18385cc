// Data that stands beside some checkouts, and that no clone has: recordings, routing data, Amazon's signing cases.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "./tools.ts";

const BESIDE = join(import.meta.dir, "..", "..", "..", "shared", "data");

/** Asks for the tests of a stranger's clone. */
const IS_HIDDEN = process.env.TEST_BESIDE === "nothing";

/** Returns the path of a folder; null if it isn't there or is hidden. */
export function findBeside(name: string): string | null {
  const path = findFolder(join(BESIDE, name));
  isMissing(`nothing at ../shared/data/${name}`, path !== null);
  return path;
}

/** Returns the folder of the recordings, which `POUNDKEY_FIXTURES` may name; null if there are none or they are hidden. */
export function findRecordings(): string | null {
  return findFolder(process.env.POUNDKEY_FIXTURES ?? join(BESIDE, "fixtures"));
}

function findFolder(path: string): string | null {
  return !IS_HIDDEN && existsSync(path) ? path : null;
}
