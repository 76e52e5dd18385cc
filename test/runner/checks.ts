// Types and format, as commands: of what changed since an earlier run or the main line, and whole in the long form.
import { readGitChange } from "../ci/change.ts";

const isLong = Boolean(process.env.LONG);
const tool = (name: string) => `node_modules/.bin/${name}`;

/** The compiler keeps its results with the installed packages, and checks what differs since. */
const KEPT = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/poundkey-types.tsbuildinfo"];

export const TYPES: readonly string[] = [process.execPath, tool("tsc"), "--noEmit", ...(isLong ? [] : KEPT)];

/** Returns the command for the files that differ from the main line, or for all where none is known. */
export function makeFormat(root: string): readonly string[] {
  const files = isLong ? null : (readGitChange(root)?.files ?? null);
  const found =
    files === null ? ["."] : ["--no-errors-on-unmatched", "--files-ignore-unknown=true", ...files];
  return [process.execPath, tool("biome"), "check", "--error-on-warnings", ...found];
}
