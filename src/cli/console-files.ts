// The console's files: out of the binary where there is one, else bundled from the sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsoleFile } from "../http/console.ts";

/** What the build puts into the binary: `dist/console`, under its last name. */
const EMBEDDED = "console";
const GZIP = ".gz";
const ENTRY = join(import.meta.dir, "..", "console", "index.html");

export async function consoleFiles(): Promise<readonly ConsoleFile[]> {
  return Bun.isStandaloneExecutable ? embeddedFiles() : bundledFiles();
}

function embeddedFiles(): readonly ConsoleFile[] {
  const folder = join(import.meta.dir, EMBEDDED);
  return readdirSync(folder).map((name) => {
    return { name: name.slice(0, -GZIP.length), gzip: new Uint8Array(readFileSync(join(folder, name))) };
  });
}

/** Bundles and compresses the console. Throws when its sources have a mistake. */
export async function bundledFiles(): Promise<readonly ConsoleFile[]> {
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

/** The name under which the build writes a file. */
export function embeddedName({ name }: ConsoleFile): string {
  return name + GZIP;
}
