// Finds the configuration file: the one that was named, or else `poundkey.yaml` in the working directory, if there is one.
import { isObject } from "../core/json.ts";
import { type ConfigError, createError } from "./errors.ts";

export const DEFAULT_FILE = "poundkey.yaml";

export type Found =
  | { readonly ok: true; readonly file: string; readonly text: string | null }
  | { readonly ok: false; readonly error: ConfigError };

/** `named` is the file that the command line names, if any. `readFile` throws the file system's errors. */
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
