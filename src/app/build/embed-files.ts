// A build step: writes the compressed files of the console and the manual, which the binary embeds.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../../http/serve/files.ts";
import { bundleConsole, nameEmbeddedFile } from "./page-files.ts";
import { renderDocs } from "./render-docs.ts";

/** Writes them to two folders of this one. */
export async function embedFiles(dist: string): Promise<void> {
  writeFiles(join(dist, "console"), await bundleConsole());
  writeFiles(join(dist, "docs"), await renderDocs());
}

function writeFiles(folder: string, files: readonly PageFile[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, nameEmbeddedFile(file)), file.gzip);
}
