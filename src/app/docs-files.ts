// The manual's files: read from the binary, or rendered from their sources if there is no binary.
import type { PageFile } from "../http/files.ts";
import { readEmbeddedFiles } from "./embedded.ts";

/** Loads the renderer only here, so that a start doesn't pay for it. */
export async function loadDocsFiles(): Promise<readonly PageFile[]> {
  if (Bun.isStandaloneExecutable) return readEmbeddedFiles("docs");
  const { renderDocs } = await import("./render-docs.ts");
  return renderDocs();
}
