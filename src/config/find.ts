// Finds the configuration file: the one that was named, else `poundkey.yaml` of the working directory, else none.
import { isObject } from "../core/json.ts";
import { type ConfigError, createError } from "./errors.ts";

export const DEFAULT_FILE = "poundkey.yaml";

export type Found =
  | { readonly ok: true; readonly file: string; readonly text: string | null }
  | { readonly ok: false; readonly error: ConfigError };

/** `named` is what the command line says, if anything. `readFile` throws as the file system does. */
export function findConfig(named: string | undefined, readFile: (path: string) => string): Found {
  const file = named ?? DEFAULT_FILE;
  try {
    return { ok: true, file, text: readFile(file) };
  } catch (error) {
    const code = isObject(error) ? error.code : undefined;
    if (named === undefined && code === "ENOENT") return { ok: true, file, text: null };
    const message = code === "ENOENT" ? "there is no such file" : "the file can't be read";
    return { ok: false, error: createError({ file, line: 0, column: 0, field: "", message }) };
  }
}
