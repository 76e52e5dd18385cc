// A step of the build: writes the console's and the API page's files, compressed, to the folders that are then put into the binary.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledFiles, embeddedName } from "./console-files.ts";
import { packagedFiles, SCRIPT_FILE, STYLE_FILE } from "./docs-files.ts";

function emptied(name: string): string {
  const folder = join(import.meta.dir, "..", "..", "dist", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const consoleFolder = emptied("console");
for (const file of await bundledFiles()) writeFileSync(join(consoleFolder, embeddedName(file)), file.gzip);
const docsFolder = emptied("docs");
const { script, style } = packagedFiles();
writeFileSync(join(docsFolder, SCRIPT_FILE), script);
writeFileSync(join(docsFolder, STYLE_FILE), style);
