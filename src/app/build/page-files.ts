// The compressed files of the console and the manual: read from the binary, or else built from their sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../../http/serve/files.ts";

const ENTRY = join(import.meta.dir, "..", "..", "console", "index.html");

export async function loadConsoleFiles(): Promise<readonly PageFile[]> {
  return Bun.isStandaloneExecutable ? readEmbeddedFiles("console") : bundleConsole();
}

/** Imports the renderer only here, so that it doesn't slow down the start. */
export async function loadDocsFiles(): Promise<readonly PageFile[]> {
  if (Bun.isStandaloneExecutable) return readEmbeddedFiles("docs");
  const { renderDocs } = await import("./render-docs.ts");
  return renderDocs();
}

/** Bundles and compresses the console. Throws if its sources don't compile. */
export async function bundleConsole(): Promise<readonly PageFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/console/",
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
  });
  return Promise.all(
    outputs.map(async (output) => {
      const name = output.path.slice(output.path.lastIndexOf("/") + 1);
      return { name, gzip: Bun.gzipSync(new Uint8Array(await output.arrayBuffer()), { level: 9 }) };
    }),
  );
}

const GZIP = ".gz";

/** Reads the files of a folder that was passed to the build as an asset. The binary has it under its last name. */
function readEmbeddedFiles(name: string): readonly PageFile[] {
  const folder = join(import.meta.dir, name);
  return readdirSync(folder).map((file) => {
    return { name: file.slice(0, -GZIP.length), gzip: new Uint8Array(readFileSync(join(folder, file))) };
  });
}

/** Returns the name that the build gives a file. */
export function nameEmbeddedFile({ name }: PageFile): string {
  return name + GZIP;
}
