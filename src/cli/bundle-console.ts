// A step of the build: writes the compressed files of the console and the API page, which then go into the binary, and its bill of materials.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledFiles, embeddedName } from "./console-files.ts";
import { packagedFiles, SCRIPT_FILE, STYLE_FILE } from "./docs-files.ts";
import { billOfMaterials } from "./materials.ts";

const ROOT = join(import.meta.dir, "..", "..");
const DIST = join(ROOT, "dist");

function emptied(name: string): string {
  const folder = join(DIST, name);
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
const bill = billOfMaterials(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
writeFileSync(join(DIST, "poundkey.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
