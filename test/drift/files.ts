// The files of a release, by patterns.
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

export interface ReleaseFile {
  readonly text: string;
  readonly language: "python" | "other";
}

/** Reads the files below the folder that a pattern names. Names are ASCII, so that programs are read as well. */
export function readFiles(folder: string, patterns: readonly string[]): readonly ReleaseFile[] {
  if (!existsSync(folder)) return [];
  const paths = new Set(patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: folder })]));
  return [...paths].map((path) => ({
    text: readFileSync(join(folder, path), "latin1"),
    language: extname(path) === ".py" ? "python" : "other",
  }));
}
