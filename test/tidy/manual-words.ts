// Counts the manual's prose: the words of a built chapter without code blocks and without the cells of names and numbers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readChapter } from "../../src/docs/site/chapter.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { ROOT } from "./sources.ts";

/** A table's cell is prose from so many words on; code in it isn't counted for this. */
const PHRASE_WORDS = 5;

const CODE_BLOCK = /<pre.*?<\/pre>/gs;
const CODE = /<code.*?<\/code>/gs;
const CELL = /<td[^>]*>.*?<\/td>/gs;
const BLOCK_TAG = /<\/?(?:p|li|h[1-6]|div|table|thead|tbody|tr|th|td|dl|dd|dt|ul|ol|blockquote|br)\b[^>]*>/g;

/** Words of prose by chapter, generated tables included: the chapters are counted as they are built. */
export function countManualWords(): Record<string, number> {
  return Object.fromEntries(
    CHAPTER_NAMES.map((name) => [
      name,
      countProse(readChapter(name, readFileSync(join(ROOT, `src/docs/${name}.md`), "utf8")).html),
    ]),
  );
}

export function countProse(html: string): number {
  const prose = html
    .replace(CODE_BLOCK, " ")
    .replace(CELL, (cell) => (countWords(cell.replace(CODE, " ")) < PHRASE_WORDS ? " " : cell));
  return countWords(prose);
}

function countWords(html: string): number {
  const text = html.replace(BLOCK_TAG, " ").replace(/<[^>]*>/g, "");
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
