// The files of `deploy`, for those who set up a gateway.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeProgram } from "../program.ts";

export interface DeployFile {
  /** The path below the folder, with slashes. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** The launcher of the npm package, the scripts of a release, and the addresses at which it is published. */
const OWN = ["npm", "release", "channels.yaml"];

/** True for an entry of the folder that helps those who set up a gateway, rather than our releases. */
export function isForSamples(entry: string): boolean {
  return !OWN.includes(entry);
}

/** Lists the files by their paths. */
export function readDeployFiles(): readonly DeployFile[] {
  const { deploy: folder } = describeProgram();
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => isForSamples(path.split("/")[0] ?? ""))
    .sort()
    .map((path) => ({ path, bytes: readFileSync(join(folder, path)) }));
}
