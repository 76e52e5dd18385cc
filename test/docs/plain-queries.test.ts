// Plain queries to the manual's search: the sections that answer them are among the first results.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSearchIndex } from "../../src/app/build/search-index.ts";
import { readChapter } from "../../src/docs/site/chapter.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { buildIndex, findSections } from "../../src/docs/site/search.ts";
import { type PlainQuery, QUERY_LISTS } from "./plain-queries.ts";

/** Results that are seen without scrolling. */
const SEEN = 5;

const FOLDER = join(import.meta.dir, "..", "..", "src", "docs");
const entries = buildSearchIndex(
  CHAPTER_NAMES.map((name) => readChapter(name, readFileSync(join(FOLDER, `${name}.md`), "utf8"))),
);
const index = buildIndex(entries);
const addressOf = (answer: string) => `/docs/${answer}`;

function isAnswered({ query, answers }: PlainQuery): boolean {
  const seen = findSections(index, query)
    .slice(0, SEEN)
    .map(({ entry }) => entry.href);
  return answers.some((answer) => {
    const address = addressOf(answer);
    return seen.some((href) => href === address || (!answer.includes("#") && href.startsWith(`${address}#`)));
  });
}

test("the answers exist", () => {
  const all = QUERY_LISTS.flatMap(({ queries }) => queries);
  expect(new Set(all.map(({ query }) => query)).size).toBe(133);
  const known = new Set(entries.map(({ href }) => href));
  const missing = all.flatMap(({ answers }) => answers).filter((one) => !known.has(addressOf(one)));
  expect(missing).toEqual([]);
});

test.each(QUERY_LISTS)("of $name queries, the first results answer all but $unansweredMax", (list) => {
  const unanswered = list.queries.filter((one) => !isAnswered(one)).map(({ query }) => query);
  console.log(`${unanswered.length} of ${list.queries.length} aren't answered: ${unanswered.join(", ")}`);
  expect(unanswered.length).toBeLessThanOrEqual(list.unansweredMax);
});
