// A step of the build: writes the console's and the manual's files, compressed, to the folders that are then put into the binary.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";
import { bundledFiles } from "./console-files.ts";
import { embeddedName } from "./embedded.ts";
import { renderedFiles } from "./render-docs.ts";

function write(name: string, files: readonly PageFile[]): void {
  const folder = join(import.meta.dir, "..", "..", "dist", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, embeddedName(file)), file.gzip);
}

write("console", await bundledFiles());
write("docs", await renderedFiles());
