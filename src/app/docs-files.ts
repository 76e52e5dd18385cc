// The manual's files: out of the binary where there is one, else rendered from their sources.
import type { PageFile } from "../http/files.ts";
import { readEmbeddedFiles } from "./embedded.ts";

/** The renderer is loaded with the first page that somebody opens. */
export async function loadDocsFiles(): Promise<readonly PageFile[]> {
  if (Bun.isStandaloneExecutable) return readEmbeddedFiles("docs");
  const { renderDocs } = await import("./render-docs.ts");
  return renderDocs();
}
