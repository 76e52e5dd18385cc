// The manual's search as its pages have it, and whether a place that it finds is an answer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSearchIndex } from "../../../src/app/build/search-index.ts";
import { readChapter } from "../../../src/docs/site/chapter.ts";
import { CHAPTER_NAMES } from "../../../src/docs/site/contents.ts";
import { buildIndex, findSections } from "../../../src/docs/site/search.ts";

const FOLDER = join(import.meta.dir, "..", "..", "..", "src", "docs");

const ENTRIES = buildSearchIndex(
  CHAPTER_NAMES.map((name) => readChapter(name, readFileSync(join(FOLDER, `${name}.md`), "utf8"))),
);
const INDEX = buildIndex(ENTRIES);

/** The first places that the search finds, best first. */
export function findPlaces(query: string, count: number): readonly string[] {
  return findSections(INDEX, query)
    .slice(0, count)
    .map(({ entry }) => entry.href);
}

/** `chapter#section` is one section, `chapter#` the text under the title, and `chapter` stands for any section. */
function isAt(answer: string, href: string): boolean {
  const address = `/docs/${answer.replace(/#$/, "")}`;
  return href === address || (!answer.includes("#") && href.startsWith(`${address}#`));
}

/** The place of the first answer among those found, from 0 on; -1 if there is none. */
export function findAnswer(answers: readonly string[], found: readonly string[]): number {
  return found.findIndex((href) => answers.some((answer) => isAt(answer, href)));
}

/** The answers that the manual doesn't have. */
export function listMissing(answers: readonly string[]): readonly string[] {
  return answers.filter((answer) => !ENTRIES.some(({ href }) => isAt(answer, href)));
}
