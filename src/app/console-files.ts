// The console's files: read from the binary, or bundled from the sources if there is no binary.
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";
import { readEmbeddedFiles } from "./embedded.ts";

const ENTRY = join(import.meta.dir, "..", "console", "index.html");

export async function loadConsoleFiles(): Promise<readonly PageFile[]> {
  return Bun.isStandaloneExecutable ? readEmbeddedFiles("console") : bundleConsole();
}

/** Bundles and compresses the console. Throws if its sources don't compile. */
export async function bundleConsole(): Promise<readonly PageFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    target: "browser",
    minify: true,
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
