// Searches all chapters for the sections that have every word of a query, best first.

/** One section of a chapter in the search index. */
export interface Entry {
  /** The page's address with the section's anchor. */
  readonly href: string;
  readonly chapter: string;
  readonly heading: string;
  readonly text: string;
}

export interface Found {
  readonly entry: Entry;
  /** A part of the text around the first of the words. */
  readonly excerpt: string;
}

const FOUND_MAX = 12;
const EXCERPT_BEFORE = 50;
const EXCERPT_LENGTH = 160;
/** A word in a section's heading says more about the section than ten in its text. */
const HEADING_WEIGHT = 10;
const CHAPTER_WEIGHT = 4;
const COUNTED_MAX = 5;

/** Splits a query into words in lower case. */
export function readWords(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

export function findSections(index: readonly Entry[], query: string): readonly Found[] {
  const words = readWords(query);
  if (words.length === 0) return [];
  return index
    .map((entry) => ({ entry, score: scoreEntry(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, FOUND_MAX)
    .map(({ entry }) => ({ entry, excerpt: cutExcerpt(entry.text, words) }));
}

/** Returns 0 unless each word is in the section, its heading or its chapter's title. */
function scoreEntry({ chapter, heading, text }: Entry, words: readonly string[]): number {
  const [inChapter, inHeading, inText] = [chapter, heading, text].map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const counted = Math.min((inText ?? "").split(word).length - 1, COUNTED_MAX);
    const score =
      counted +
      (inHeading?.includes(word) ? HEADING_WEIGHT : 0) +
      (inChapter?.includes(word) ? CHAPTER_WEIGHT : 0);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function cutExcerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", first - EXCERPT_BEFORE) + 1;
  const piece = text.slice(start, start + EXCERPT_LENGTH).trim();
  return `${start > 0 ? "… " : ""}${piece}${start + EXCERPT_LENGTH < text.length ? " …" : ""}`;
}
