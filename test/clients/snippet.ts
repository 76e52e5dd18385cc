// The manual's snippets for libraries, each run unchanged against the running gateway.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_SETUPS, fillSnippet, type Snippet } from "../../src/docs/site/client-setups.ts";
import { startUnderTest } from "../harness/harness.ts";

export const SNIPPET_RUN_MS = 60_000;

export interface SnippetWorld {
  /** Writes the snippet to a file of this name, runs it, and returns its output. Throws if it fails. */
  run(snippet: Snippet, command: string, file: string): Promise<string>;
  stop(): Promise<void>;
}

/** Returns the title and the snippet of each client in that language. */
export function listSnippets(language: Snippet["language"]): [title: string, snippet: Snippet][] {
  return CLIENT_SETUPS.flatMap(({ title, snippets }) =>
    snippets
      .filter((snippet) => snippet.language === language)
      .map((snippet): [string, Snippet] => [title, snippet]),
  );
}

/** Starts a gateway, with a folder for the snippets. */
export async function startSnippetWorld(): Promise<SnippetWorld> {
  const under = await startUnderTest();
  // Within the project, so that its packages are found.
  const folder = mkdtempSync(join(import.meta.dir, ".snippets-"));
  return {
    async run(snippet, command, file) {
      const path = join(folder, file);
      writeFileSync(path, fillSnippet(snippet, under.url, under.secret));
      const env = { PATH: process.env.PATH ?? "", HOME: folder };
      const child = Bun.spawn([command, path], { env, stdout: "pipe", stderr: "pipe" });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      if (code !== 0) throw new Error(err);
      return out.trim();
    },
    async stop() {
      rmSync(folder, { recursive: true });
      await under.stop();
    },
  };
}
