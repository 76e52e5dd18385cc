// The source files that the tidy tests read, and an assertion that shows a rule's findings.
import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = join(import.meta.dir, "..", "..");

export interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly imports: readonly string[];
  /** Those of the imports that bring in code, not types alone. */
  readonly codeImports: readonly string[];
}

const IMPORT = /(?:from|import)\s*\(?"(\.[^"]+)"/g;
const CODE_IMPORT = /^(?:import|export) (?!type )(?:[^;"]*? from )?"(\.[^"]+)"/gm;

/** Returns the TypeScript files of a folder. */
export function readSources(folder: string): readonly Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
    .map((file) => readSource(join(folder, file)));
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const room = findRoom(path);
  const list = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, one = ""]) => normalize(join(dirname(path), one)));
  const imports = list(IMPORT);
  return { path, room, text, lines: text.split("\n"), imports, codeImports: list(CODE_IMPORT) };
}

/** The room of a file: its first folder, or `transport/framing`, which others may import without the rest. */
export function findRoom(path: string): string {
  return /^src\/(transport\/framing|[^/]+)/.exec(path)?.[1] ?? "";
}

/** Asserts that a rule has no findings, and shows them otherwise. */
export function expectNone(found: readonly string[]): void {
  expect(found).toEqual([]);
}
