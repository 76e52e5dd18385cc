// Folders in which the command of an import runs, and what it made in them.
import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/open-store.ts";
import { runImport } from "../../src/cli/import.ts";
import { createAuthenticator } from "../../src/keys/authenticate.ts";
import { ForeignSecrets } from "../../src/keys/foreign.ts";
import { runPrinting } from "../poundkey.ts";
import { loadText, requireSettings } from "../settings.ts";

/** Returns a function that makes a folder of its own for each import, with the files that it is given. Call it once in a file. */
export function usePlaces() {
  const root = mkdtempSync(join(tmpdir(), "poundkey-import-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let places = 0;
  return (files: Readonly<Record<string, string>>) => {
    const directory = join(root, String(places++));
    mkdirSync(directory);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const path = (name: string) => join(directory, name);
    const flags = ["--config", path("poundkey.yaml"), "--store", `sqlite:${path("poundkey.db")}`];
    const run = (...args: string[]) => runPrinting((io) => runImport([...args, ...flags], io, undefined));
    const open = () => openStore(`sqlite:${path("poundkey.db")}`, undefined, "find");
    const readConfig = () => readFileSync(path("poundkey.yaml"), "utf8");
    return { path, run, open, readConfig };
  };
}

export type Place = ReturnType<ReturnType<typeof usePlaces>>;

/** Every variable is set, each to a value of its own. */
export function load(text: string) {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `v-${name}`] as const);
  const known = ["OPENAI", "ANTHROPIC", "OPENROUTER", "GROQ"].map(
    (name) => [`${name}_API_KEY`, "v"] as const,
  );
  return requireSettings(loadText(text, { env: Object.fromEntries([...known, ...names]) }));
}

export async function prove({ open }: Place, secret: string): Promise<string> {
  const { store, world } = await open();
  try {
    const foreign = new ForeignSecrets({
      store,
      clock: world.clock,
      untilMs: () => Number.POSITIVE_INFINITY,
    });
    const { key } = await createAuthenticator({ ...world, store, foreign })(secret);
    return key.name;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 9) : "";
  } finally {
    await store.close();
  }
}
