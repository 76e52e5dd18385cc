// The repository's documents: the READMEs, the changelog and the manual's chapters.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../../src/core/json/json.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";

export const ROOT = join(import.meta.dir, "..", "..");

/** The rooms that have a page for newcomers. */
const ROOM_PAGES = readdirSync(join(ROOT, "src")).filter((room) =>
  existsSync(join(ROOT, "src", room, "README.md")),
);

/** Paths from the repository's root. */
export const DOCUMENTS: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/RELEASING.md",
  ".github/SECURITY.md",
  "src/README.md",
  ...ROOM_PAGES.map((room) => `src/${room}/README.md`),
  "test/README.md",
  "test/RELIABILITY.md",
  "test/bench/results/aims.md",
  "test/python/RESULTS.md",
  ...CHAPTER_NAMES.map((name) => `src/docs/${name}.md`),
];

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** A document without its code blocks. */
export function readProse(path: string): string {
  return dropBlocks(readDocument(path));
}

export function dropBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, "");
}

export function scriptsOfPackage(): readonly string[] {
  const { scripts } = asObject(JSON.parse(readDocument("package.json")));
  return Object.keys(asObject(scripts));
}

/** The files that `bun test` finds, as paths from the repository's root. */
export function filesOfTests(): readonly string[] {
  return readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(test|suite)\.ts$/.test(file))
    .map((file) => `test/${file}`);
}
