// The compressed files of the console and the manual: read as the build has made them, or else built from their sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../../http/serve/files.ts";
import { describeProgram } from "../program.ts";

const ENTRY = join(import.meta.dir, "..", "..", "console", "index.html");

export async function loadConsoleFiles(): Promise<readonly PageFile[]> {
  const { built } = describeProgram();
  return built === null ? bundleConsole() : readBuiltFiles(built, "console");
}

/** Imports what makes them only here, so that it doesn't slow down the start. */
export async function loadDocsFiles(): Promise<readonly PageFile[]> {
  const { joinFiles } = await import("./joined-files.ts");
  const files = await loadRendered();
  return [...files, ...joinFiles(files)];
}

async function loadRendered(): Promise<readonly PageFile[]> {
  const { built } = describeProgram();
  if (built !== null) return readBuiltFiles(built, "docs");
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

function readBuiltFiles(built: string, name: string): readonly PageFile[] {
  const folder = join(built, name);
  return readdirSync(folder).map((file) => {
    return { name: file.slice(0, -GZIP.length), gzip: new Uint8Array(readFileSync(join(folder, file))) };
  });
}

/** Returns the name that the build gives a file. */
export function nameEmbeddedFile({ name }: PageFile): string {
  return name + GZIP;
}
