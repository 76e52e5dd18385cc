// The files of `deploy`: read from the binary, which embeds the folder, or else from the sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface DeployFile {
  /** The path below the folder, with slashes. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Lists the files by their paths. */
export function readDeployFiles(): readonly DeployFile[] {
  const folder = Bun.isStandaloneExecutable
    ? join(import.meta.dir, "deploy")
    : join(import.meta.dir, "..", "..", "deploy");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: file.slice(folder.length + 1), bytes: readFileSync(file) }));
}
