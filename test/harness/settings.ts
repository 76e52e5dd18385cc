// Configuration settings for tests, read as the program reads its file, with every provider known.

import { formatError } from "../../src/config/errors.ts";
import { type LoadInput, type LoadResult, loadSettings } from "../../src/config/load.ts";
import type { Settings } from "../../src/core/settings.ts";
import { PROVIDERS } from "../../src/providers/index.ts";

type Texts = Readonly<Record<string, string>>;

export interface Surroundings extends Partial<Omit<LoadInput, "text" | "env" | "readFile">> {
  /** The environment variables. */
  readonly env?: Texts;
  /** The files that the configuration may name, by their paths. */
  readonly files?: Texts;
}

/** Reads from these files, by their paths. */
export function readFrom(files: Texts) {
  return (path: string): string => {
    const found = files[path];
    if (found === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
    return found;
  };
}

/** Reads a configuration in YAML (or JSON, which is YAML too). Null: there is no file. */
export function loadText(
  text: string | null,
  { env = {}, files = {}, ...more }: Surroundings = {},
): LoadResult {
  const given = { text, file: "poundkey.yaml", known: PROVIDERS, overrides: {}, ...more };
  return loadSettings({ ...given, env: (name) => env[name], readFile: readFrom(files) });
}

/** Throws with the lines of the errors. */
export function requireSettings(loaded: LoadResult): Settings {
  if (!loaded.ok) throw new Error(loaded.errors.map(formatError).join("\n"));
  return loaded.settings;
}

export function readSettings(text: string | null, env: Texts = {}): Settings {
  return requireSettings(loadText(text, { env }));
}
