// The code of the source files without its comments, and where in it a name occurs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";

/** Texts and comments, whichever begins first. A `//` in a text begins no comment. */
const TEXT_OR_COMMENT = /"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*.*?\*\/|(?<!\\)\/\/[^\n]*/gs;
const YAML_COMMENT = /^\s*#.*$/gm;

export function stripComments(code: string): string {
  return code.replace(TEXT_OR_COMMENT, (found) => (found.startsWith("/") ? "" : found));
}

export interface Code {
  /** From `src/` on. */
  readonly path: string;
  readonly text: string;
}

/** Returns the files that a change may have to touch: code, tables and data. The manual's prose is another test's. */
export function readCode(): readonly Code[] {
  return readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(tsx?|ya?ml|data\.json)$/.test(path))
    .map((path) => ({ path, text: readText(path) }));
}

function readText(path: string): string {
  const text = readFileSync(join(ROOT, "src", path), "utf8");
  if (path.endsWith(".json")) return text;
  return /ya?ml$/.test(path) ? text.replace(YAML_COMMENT, "") : stripComments(text);
}
