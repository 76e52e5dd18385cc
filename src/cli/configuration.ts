// The configuration as commands find it: the file that counts, this process's environment, what the command line adds.
import { readFileSync, statSync } from "node:fs";
import { type ConfigError, errorLine } from "../config/errors.ts";
import { DEFAULT_FILE, findConfig } from "../config/find.ts";
import { type Loaded, loadSettings, type Overrides } from "../config/load.ts";
import { PROVIDERS } from "../providers/index.ts";
import type { ConfigSource } from "./check.ts";

/** The flags that every command takes. */
export interface ConfigurationFlags extends Overrides {
  readonly config?: string | undefined;
}

/** This process's environment and files, and the providers that it knows. */
export const source: ConfigSource = {
  env: (name) => process.env[name],
  readFile: (path) => readFileSync(path, "utf8"),
  known: PROVIDERS,
};

/** Reads and checks the configuration anew. */
export function readConfiguration({ config, ...overrides }: ConfigurationFlags): Loaded {
  const found = findConfig(config, source.readFile);
  if (!found.ok) return { ok: false, errors: [found.error] };
  return loadSettings({ text: found.text, file: found.file, ...source, overrides });
}

/** Changes when the file does; null while there is none. */
export function configurationStamp({ config }: ConfigurationFlags): string | null {
  try {
    const { mtimeMs, size, ino } = statSync(config ?? DEFAULT_FILE);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return null;
  }
}

/** What is wrong with the configuration, a line each. */
export function errorText(errors: readonly ConfigError[]): string {
  return errors.map(errorLine).join("\n");
}
