// Files that a command line names: what it works on, beside the configuration.
import { readFileSync } from "node:fs";
import { describeUnread } from "../config/interpolate.ts";

/** Throws an Error that names the file and says why it can't be read. */
export function readInputFile(path: string): Buffer {
  return nameUnread(path, (file) => readFileSync(file));
}

/** The same with another way of reading. */
export function nameUnread<Content>(path: string, read: (path: string) => Content): Content {
  try {
    return read(path);
  } catch (error) {
    throw new Error(`${path}: the file ${describeUnread(error)}`, { cause: error });
  }
}
