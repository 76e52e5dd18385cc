// Folders in which the command of an import runs, and what it made in them.
import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { runImport } from "../../src/cli/state/import.ts";
import { createAuthenticator } from "../../src/keys/authenticate.ts";
import { ForeignSecrets } from "../../src/keys/foreign.ts";
import { mayUseKeys } from "../../src/people/member.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { loadText, requireSettings } from "../harness/settings.ts";
import { MASTER_KEY, startNode } from "./nodes.ts";

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
    const [config, store] = [path("poundkey.yaml"), `sqlite:${path("poundkey.db")}`];
    const flags = ["--config", config, "--store", store];
    const run = (...args: string[]) => runPrinting((io) => runImport([...args, ...flags], io, MASTER_KEY));
    const open = () => openStore(store, MASTER_KEY, "find");
    const readConfig = () => readFileSync(config, "utf8");
    const start = (env: Readonly<Record<string, string>>) => startNode({ store, config, env });
    return { path, run, open, readConfig, start };
  };
}

export type Place = ReturnType<ReturnType<typeof usePlaces>>;

/** Returns aliases with the model of each group of one in place of the group. */
export function nameAlone(aliases: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const name = (alias: unknown) => (Array.isArray(alias) && alias.length === 1 ? alias[0].model : alias);
  return Object.fromEntries(Object.entries(aliases).map(([one, alias]) => [one, name(alias)]));
}

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
    const { key } = await createAuthenticator({ ...world, store, mayUseKeys, foreign })(secret);
    return key.name;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 9) : "";
  } finally {
    await store.close();
  }
}
