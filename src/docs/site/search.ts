// Searches all chapters for the sections that answer a query, best first. Other forms of a word and its synonyms count.
import {
  type Meaning,
  readTerms,
  SYNONYM_WEIGHT,
  type Term,
  type Vocabulary,
  WEAK_WEIGHT,
  weighStem,
} from "./query.ts";
import { STOP_WORDS } from "./synonyms.ts";
import { findStem, splitWords, type Word } from "./words.ts";

/** One section of a chapter in the search index. */
export interface Entry {
  /** The page's address with the section's anchor. */
  readonly href: string;
  readonly chapter: string;
  readonly heading: string;
  readonly text: string;
}

export interface SearchHit {
  readonly entry: Entry;
  /** The part of the text with most of the words that were found. */
  readonly excerpt: string;
  /** The words that were found, in lower case. */
  readonly words: readonly string[];
}

/** A section with the places of its words. */
interface SearchedSection {
  readonly entry: Entry;
  readonly words: readonly Word[];
  /** The number of times that each stem is in the text. */
  readonly counts: ReadonlyMap<string, number>;
  readonly inHeading: ReadonlySet<string>;
  readonly inChapter: ReadonlySet<string>;
  /** Its number of words, compared with that of an average section. */
  readonly length: number;
}

export interface SearchIndex extends Vocabulary {
  readonly sections: readonly SearchedSection[];
}

/** A section and how well it answers. */
interface SectionScore {
  readonly section: SearchedSection;
  readonly points: number;
  /** The share of the query that it has, by weight. */
  readonly covered: number;
  readonly isNamed: boolean;
}

const FOUND_MAX = 12;
const EXCERPT_BEFORE = 50;
const EXCERPT_LENGTH = 160;
/** A title that has a word counts as much as a text that has it this many times. */
const HEADING_COUNT = 1;
const CHAPTER_COUNT = 3;
/** The count at which a word in a section of average length reaches half of its weight. */
const HALF_COUNT = 2;
/** The part of a long section's greater number of words that is put down to its length, from 0 to 1. */
const LENGTH_SHARE = 0.45;
/** A section of which the query says the whole heading gets this much more; the others, by the share that it says. */
const SAID_BONUS = 1;
/** The same for the share of the query that titles name. */
const HEADING_BONUS = 0.2;
const CHAPTER_BONUS = 0.6;
/** Less than 1, since a long question has words that no answer has. */
const COVERED_POWER = 0.75;
/** Sections that have less than this share of what the best of them has don't answer, unless their heading names a part. */
const COVERED_LEAST = 0.5;
/** Chapters that name nearly everything in passing, which others tell. */
const LISTS = /(^|\/)(errors|migrate-|leave-|compare|configuration)[^/]*$/;
const LIST_WEIGHT = 0.8;

const STOP_STEMS: ReadonlySet<string> = new Set([...STOP_WORDS].map(findStem));

export function buildIndex(entries: readonly Entry[]): SearchIndex {
  const split = entries.map((entry) => ({ entry, words: splitWords(entry.text) }));
  const average = split.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, split.length);
  const sections = split.map(({ entry, words }) => readSection(entry, words, average));
  const frequencies = new Map<string, number>();
  for (const { counts, inHeading, inChapter } of sections)
    for (const stem of new Set([...counts.keys(), ...inHeading, ...inChapter]))
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
  return { sections, sectionCount: sections.length, frequencies };
}

function readSection(entry: Entry, words: readonly Word[], average: number): SearchedSection {
  const counts = new Map<string, number>();
  for (const { stem } of words) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const listTitle = (title: string) =>
    new Set(splitWords(title).flatMap(({ stem }) => (STOP_STEMS.has(stem) ? [] : [stem])));
  return {
    entry,
    words,
    counts,
    inHeading: listTitle(entry.heading),
    inChapter: listTitle(entry.chapter),
    length: words.length / Math.max(1, average),
  };
}

export function findSections(index: SearchIndex, query: string): readonly SearchHit[] {
  const terms = readTerms(index, query);
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (whole === 0) return [];
  const scores = index.sections
    .map((section) => scoreSection(index, section, terms, whole))
    .filter(({ points }) => points > 0);
  const least = COVERED_LEAST * Math.max(...scores.map(({ covered }) => covered));
  return scores
    .filter(({ covered, isNamed }) => covered >= least || isNamed)
    .sort((one, other) => other.points - one.points)
    .slice(0, FOUND_MAX)
    .map(({ section }) => describeFound(section, terms));
}

function scoreSection(
  index: SearchIndex,
  section: SearchedSection,
  terms: readonly Term[],
  whole: number,
): SectionScore {
  const found = terms.map((term) => scoreTerm(section, term));
  const sum = (measure: (term: Term, at: number) => number) =>
    terms.reduce((total, term, at) => total + term.weight * measure(term, at), 0) / whole;
  const covered = sum((_, at) => ((found[at] ?? 0) > 0 ? 1 : 0));
  if (covered === 0) return { section, points: 0, covered, isNamed: false };
  const { inHeading, inChapter, entry } = section;
  const named = sum((term) => (listTitled(term, (stem) => inHeading.has(stem)).length > 0 ? 1 : 0));
  const chaptered = sum((term) => (listTitled(term, (stem) => inChapter.has(stem)).length > 0 ? 1 : 0));
  const said = named === 0 ? 0 : measureSaid(index, section, terms);
  const bonus = 1 + SAID_BONUS * said + HEADING_BONUS * named + CHAPTER_BONUS * chaptered;
  const listed = LISTS.test(entry.href) ? LIST_WEIGHT : 1;
  const points = sum((_, at) => found[at] ?? 0) * covered ** COVERED_POWER * listed * bonus;
  return { section, points, covered, isNamed: named > 0 };
}

/** From 0 to 1, by the meaning that the section has most of. */
function scoreTerm(section: SearchedSection, { meanings }: Term): number {
  const count = Math.max(0, ...meanings.map((one) => countMeaning(section, one)));
  return count / (count + HALF_COUNT);
}

/** A phrase counts as much as its rarest word in the section. */
function countMeaning(section: SearchedSection, { stems, weight }: Meaning): number {
  return weight * Math.min(...stems.map((stem) => countStem(section, stem)));
}

function countStem({ counts, inHeading, inChapter, length }: SearchedSection, stem: string): number {
  const inText = (counts.get(stem) ?? 0) / (1 - LENGTH_SHARE + LENGTH_SHARE * length);
  return inText + (inHeading.has(stem) ? HEADING_COUNT : 0) + (inChapter.has(stem) ? CHAPTER_COUNT : 0);
}

/** The term's meanings of which a title has all words. Words that only begin alike, or look alike, aren't meant. */
function listTitled({ meanings }: Term, isInTitle: (stem: string) => boolean): readonly Meaning[] {
  return meanings.filter(({ stems, weight }) => weight >= SYNONYM_WEIGHT && stems.every(isInTitle));
}

/** The share of the heading that the query says, in its own words or others, from 0 to 1. */
function measureSaid(index: SearchIndex, section: SearchedSection, terms: readonly Term[]): number {
  const said = listSaid(section, terms);
  let sum = 0;
  let whole = 0;
  for (const stem of section.inHeading) {
    const weight = weighStem(index, stem);
    whole += weight;
    sum += weight * (said.get(stem) ?? 0);
  }
  return whole === 0 ? 0 : sum / whole;
}

/** Returns the words of the titles that the query says, and how surely each is meant. */
function listSaid(
  { inHeading, inChapter }: SearchedSection,
  terms: readonly Term[],
): ReadonlyMap<string, number> {
  const isInTitle = (stem: string) => inHeading.has(stem) || inChapter.has(stem);
  const said = new Map<string, number>();
  for (const term of terms)
    for (const { stems, weight } of listTitled(term, isInTitle)) {
      const strength = weight * (term.isWeak ? WEAK_WEIGHT : 1);
      for (const stem of stems) said.set(stem, Math.max(said.get(stem) ?? 0, strength));
    }
  return said;
}

function describeFound({ entry, words }: SearchedSection, terms: readonly Term[]): SearchHit {
  const stems = new Set(terms.flatMap(({ meanings }) => meanings.flatMap((one) => one.stems)));
  const matched = words.filter(({ stem }) => stems.has(stem));
  const inHeadings = splitWords(`${entry.chapter} ${entry.heading}`).filter(({ stem }) => stems.has(stem));
  return {
    entry,
    excerpt: cutExcerpt(entry.text, matched),
    words: [...new Set([...matched, ...inHeadings].map(({ word }) => word))],
  };
}

/** Cuts the text where most of the different words stand close together. */
function cutExcerpt(text: string, matched: readonly Word[]): string {
  let best = 0;
  let most = 0;
  for (const [place, { at }] of matched.entries()) {
    const near = matched.slice(place).filter((other) => other.at < at + EXCERPT_LENGTH - EXCERPT_BEFORE);
    const different = new Set(near.map(({ stem }) => stem)).size;
    if (different > most) [best, most] = [at, different];
  }
  const start = best <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", best - EXCERPT_BEFORE) + 1;
  const piece = text.slice(start, start + EXCERPT_LENGTH).trim();
  return `${start > 0 ? "… " : ""}${piece}${start + EXCERPT_LENGTH < text.length ? " …" : ""}`;
}
