// A build step: writes the compressed files of the console and the manual for the binary, and its bill of materials.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";
import { buildBillOfMaterials } from "./materials.ts";
import { bundleConsole, nameEmbeddedFile } from "./page-files.ts";
import { renderDocs } from "./render-docs.ts";

const ROOT = join(import.meta.dir, "..", "..");
const DIST = join(ROOT, "dist");

function write(name: string, files: readonly PageFile[]): void {
  const folder = join(DIST, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, nameEmbeddedFile(file)), file.gzip);
}

write("console", await bundleConsole());
write("docs", await renderDocs());
const bill = buildBillOfMaterials(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
writeFileSync(join(DIST, "poundkey.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
