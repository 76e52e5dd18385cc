// Configuration settings for tests, read as the program reads its file, with every provider known.

import { formatError } from "../src/config/errors.ts";
import { loadSettings } from "../src/config/load.ts";
import type { Settings } from "../src/core/settings.ts";
import { PROVIDERS } from "../src/providers/index.ts";

type Environment = Readonly<Record<string, string>>;

/** Reads a configuration in YAML (or JSON, which is YAML too). Throws with the lines of its errors. */
export function readSettings(text: string, env: Environment = {}): Settings {
  const loaded = loadSettings({
    text,
    file: "poundkey.yaml",
    env: (name) => env[name],
    readFile: () => "",
    known: PROVIDERS,
    overrides: {},
  });
  if (!loaded.ok) throw new Error(loaded.errors.map(formatError).join("\n"));
  return loaded.settings;
}
