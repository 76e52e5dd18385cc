// The console's files: out of the binary where there is one, else bundled from the sources.
import { join } from "node:path";
import type { PageFile } from "../http/files.ts";
import { readEmbeddedFiles } from "./embedded.ts";

const ENTRY = join(import.meta.dir, "..", "console", "index.html");

export async function loadConsoleFiles(): Promise<readonly PageFile[]> {
  return Bun.isStandaloneExecutable ? readEmbeddedFiles("console") : bundleConsole();
}

/** Bundles and compresses the console. Throws when its sources have a mistake. */
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
