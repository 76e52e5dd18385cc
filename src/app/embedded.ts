// The compressed files that the build puts into the binary.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";

const GZIP = ".gz";

/** Reads the files of a folder that the build got as an asset. The binary has it under the folder's last name. */
export function readEmbeddedFiles(name: string): readonly PageFile[] {
  const folder = join(import.meta.dir, name);
  return readdirSync(folder).map((file) => {
    return { name: file.slice(0, -GZIP.length), gzip: new Uint8Array(readFileSync(join(folder, file))) };
  });
}

/** Returns the name under which the build writes a file. */
export function nameEmbeddedFile({ name }: PageFile): string {
  return name + GZIP;
}
