// Searches all chapters for the sections that answer a query, best first. Other forms of a word and its synonyms count.
import { findNearest } from "../../core/text/nearest.ts";
import { STOP_WORDS, SYNONYMS } from "./synonyms.ts";
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
interface Section {
  readonly entry: Entry;
  readonly words: readonly Word[];
  /** The weight of each stem: its number in the text, and more for each heading that has it. */
  readonly counts: ReadonlyMap<string, number>;
  readonly inHeading: ReadonlySet<string>;
  /** Its number of words, compared with that of an average section. */
  readonly length: number;
}

export interface SearchIndex {
  readonly sections: readonly Section[];
  /** The number of sections that have each stem. */
  readonly frequencies: ReadonlyMap<string, number>;
}

/** The meanings of one word or phrase of a query, the query's own first. Any of them is looked for. */
type Term = readonly Alternative[];

interface Alternative {
  readonly stems: readonly string[];
  readonly weight: number;
}

const FOUND_MAX = 12;
const EXCERPT_BEFORE = 50;
const EXCERPT_LENGTH = 160;
/** A word in a section's heading says more about the section than several in its text. */
const HEADING_COUNT = 8;
const CHAPTER_COUNT = 5;
const HEADING_BONUS = 0.7;
/** Chapters that name nearly everything in passing, which others tell. */
const LISTS = /(^|\/)(errors|migrate-|leave-|compare|configuration)[^/]*$/;
const LIST_WEIGHT = 0.8;
/** The count at which a word in a section of average length reaches half of its weight. */
const HALF_COUNT = 1.5;
const SYNONYM_WEIGHT = 0.75;
const PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.4;
const UNKNOWN_WEIGHT = 0.5;
/** Sections that have less of the query, by weight, don't answer it. */
const COVERED_LEAST = 0.5;
const PREFIX_LEAST = 3;
const TYPO_LEAST = 6;
const COMPLETIONS_MAX = 8;

const GROUPS = SYNONYMS.map((phrases) => phrases.map(listStems));
const PHRASE_WORDS_MAX = Math.max(...GROUPS.flat().map(({ length }) => length));

export function buildIndex(entries: readonly Entry[]): SearchIndex {
  const split = entries.map((entry) => ({ entry, words: splitWords(entry.text) }));
  const average = split.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, split.length);
  const sections = split.map(({ entry, words }) => readSection(entry, words, average));
  const frequencies = new Map<string, number>();
  for (const { counts } of sections)
    for (const stem of counts.keys()) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
  return { sections, frequencies };
}

function readSection(entry: Entry, words: readonly Word[], average: number): Section {
  const counts = new Map<string, number>();
  const add = (stem: string, count: number) => counts.set(stem, (counts.get(stem) ?? 0) + count);
  const inHeading = new Set(splitWords(entry.heading).map(({ stem }) => stem));
  for (const { stem } of words) add(stem, 1);
  for (const stem of inHeading) add(stem, HEADING_COUNT);
  for (const { stem } of splitWords(entry.chapter)) add(stem, CHAPTER_COUNT);
  return { entry, words, counts, inHeading, length: words.length / Math.max(1, average) };
}

export function findSections(index: SearchIndex, query: string): readonly SearchHit[] {
  const terms = readTerms(index, query);
  const weights = terms.map((term) => weighTerm(index, term));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return [];
  return index.sections
    .map((section) => ({ section, score: scoreSection(section, terms, weights) / whole }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, FOUND_MAX)
    .map(({ section }) => describeFound(section, terms));
}

/** Returns 0 for sections that lack too much of the query. */
function scoreSection(section: Section, terms: readonly Term[], weights: readonly number[]): number {
  let sum = 0;
  let covered = 0;
  let whole = 0;
  for (const [at, term] of terms.entries()) {
    const weight = weights[at] ?? 0;
    const found = Math.max(0, ...term.map((one) => scoreAlternative(section, one)));
    whole += weight;
    sum += weight * found;
    if (found > 0) covered += weight;
  }
  const share = covered / whole;
  const weight = LISTS.test(section.entry.href) ? LIST_WEIGHT : 1;
  return share < COVERED_LEAST ? 0 : sum * share * share * weight;
}

/** A phrase counts as much as its rarest word in the section. */
function scoreAlternative(section: Section, { stems, weight }: Alternative): number {
  return weight * Math.min(...stems.map((stem) => scoreStem(section, stem)));
}

function scoreStem({ counts, inHeading, length }: Section, stem: string): number {
  const count = counts.get(stem) ?? 0;
  if (count === 0) return 0;
  const bonus = inHeading.has(stem) ? HEADING_BONUS : 0;
  return count / (count + HALF_COUNT * (0.4 + 0.6 * length)) + bonus;
}

/** Rare words say more. A word that no section has, or has only nearly, counts little beside the others. */
function weighTerm(index: SearchIndex, term: Term): number {
  const rarest = ({ stems }: Alternative) => Math.max(...stems.map((stem) => weighStem(index, stem)));
  const isKnown = ({ stems }: Alternative) => stems.every((stem) => index.frequencies.has(stem));
  const [own] = term;
  if (own === undefined) return 0;
  if (!term.some(isKnown)) return UNKNOWN_WEIGHT;
  return rarest(own) * (own.weight < PREFIX_WEIGHT ? own.weight : 1);
}

function weighStem({ sections, frequencies }: SearchIndex, stem: string): number {
  return Math.log(1 + sections.length / (0.5 + (frequencies.get(stem) ?? 0)));
}

/** Reads a query's phrases and words. A query of stop words alone is read as it is. */
function readTerms(index: SearchIndex, query: string): readonly Term[] {
  const words = splitQuery(index, query);
  const isTelling = ({ word }: Word) => !STOP_WORDS.has(word);
  const terms: Term[] = [];
  for (let at = 0; at < words.length; ) {
    const phrase = findPhrase(words, at);
    const word = words[at];
    if (phrase !== null) terms.push(phrase.term);
    else if (word && (isTelling(word) || !words.some(isTelling))) terms.push(readWord(index, word));
    at += phrase?.length ?? 1;
  }
  return terms;
}

/** Names such as `body_limit` are searched as one word if a section has them, else by their parts. */
function splitQuery({ frequencies }: SearchIndex, query: string): readonly Word[] {
  return query.split(/\s+/).flatMap((part) => {
    const [whole, ...parts] = splitWords(part);
    if (whole === undefined) return [];
    return parts.length === 0 || frequencies.has(whole.stem) ? [whole] : parts;
  });
}

/** Returns the longest phrase of several words, or a word with synonyms, that stands at this place. */
function findPhrase(
  words: readonly Word[],
  at: number,
): { readonly term: Term; readonly length: number } | null {
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - at); length > 0; length--) {
    const stems = words.slice(at, at + length).map(({ stem }) => stem);
    const groups = GROUPS.filter((group) => group.some((phrase) => isEqual(phrase, stems)));
    if (groups.length === 0) continue;
    const others = groups.flat().filter((phrase) => !isEqual(phrase, stems));
    const synonyms = others.map((phrase) => ({ stems: keepTelling(phrase), weight: SYNONYM_WEIGHT }));
    return { term: [{ stems: keepTelling(stems), weight: 1 }, ...synonyms], length };
  }
  return null;
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((stem, at) => stem === other[at]);
}

function keepTelling(stems: readonly string[]): readonly string[] {
  const telling = stems.filter((stem) => !STOP_WORDS.has(stem));
  return telling.length === 0 ? stems : telling;
}

function listStems(phrase: string): readonly string[] {
  return phrase.split(" ").map((word) => findStem(word.replace(/['’]/g, "")));
}

/** A word that no section has is completed, as while it is typed, or else taken for a typing error. */
function readWord({ frequencies }: SearchIndex, { word, stem }: Word): Term {
  const own = { stems: [stem], weight: 1 };
  const isComplete = frequencies.has(stem);
  const completed =
    word.length < PREFIX_LEAST ? [] : [...frequencies.keys()].filter((one) => one.startsWith(word));
  const near = isComplete || word.length < TYPO_LEAST ? [] : findNearest(stem, frequencies.keys(), 2);
  const others = [
    ...completed.slice(0, COMPLETIONS_MAX).map((one) => ({ stems: [one], weight: PREFIX_WEIGHT })),
    ...(completed.length > 0 ? [] : near.map((one) => ({ stems: [one], weight: TYPO_WEIGHT }))),
  ];
  return [...(isComplete || others.length === 0 ? [own] : []), ...others];
}

function describeFound({ entry, words }: Section, terms: readonly Term[]): SearchHit {
  const stems = new Set(terms.flat().flatMap((one) => one.stems));
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
