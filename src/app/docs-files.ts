// The manual's files: out of the binary where there is one, else rendered from their sources.
import type { PageFile } from "../http/files.ts";
import { embeddedFiles } from "./embedded.ts";

/** The renderer is loaded with the first page that somebody opens. */
export async function docsFiles(): Promise<readonly PageFile[]> {
  if (Bun.isStandaloneExecutable) return embeddedFiles("docs");
  const { renderedFiles } = await import("./render-docs.ts");
  return renderedFiles();
}
