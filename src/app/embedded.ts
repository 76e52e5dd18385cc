// Files that the build puts into the binary, compressed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";

const GZIP = ".gz";

/** The files of a folder that the build was given as an asset; the binary has it under the folder's last name. */
export function readEmbeddedFiles(name: string): readonly PageFile[] {
  const folder = join(import.meta.dir, name);
  return readdirSync(folder).map((file) => {
    return { name: file.slice(0, -GZIP.length), gzip: new Uint8Array(readFileSync(join(folder, file))) };
  });
}

/** The name under which the build writes a file. */
export function nameEmbeddedFile({ name }: PageFile): string {
  return name + GZIP;
}
