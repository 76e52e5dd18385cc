// A build step: writes the files that the binary embeds: the console and the manual, compressed, and those for deployments.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../../http/serve/files.ts";
import { isForSamples } from "./deploy-files.ts";
import { bundleConsole, nameEmbeddedFile } from "./page-files.ts";
import { renderDocs } from "./render-docs.ts";

const DEPLOY = join(import.meta.dir, "..", "..", "deploy");

/** The folders that `embedFiles` writes. */
export const EMBEDDED = ["console", "docs", "deploy"];

/** Writes the files to folders in `dist`. */
export async function embedFiles(dist: string): Promise<void> {
  writeFiles(join(dist, "console"), await bundleConsole());
  writeFiles(join(dist, "docs"), await renderDocs());
  copySamples(join(dist, "deploy"));
}

/** Our releases' own scripts are of no use to those who have a binary. */
function copySamples(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const entry of readdirSync(DEPLOY))
    if (isForSamples(entry)) cpSync(join(DEPLOY, entry), join(folder, entry), { recursive: true });
}

function writeFiles(folder: string, files: readonly PageFile[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, nameEmbeddedFile(file)), file.gzip);
}
