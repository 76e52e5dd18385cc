// The folder outside the checkout that keeps what one run leaves for the next.
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Returns its path, and makes it if it isn't there. */
export function openCache(): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "poundkey-ci");
  mkdirSync(folder, { recursive: true });
  return folder;
}
