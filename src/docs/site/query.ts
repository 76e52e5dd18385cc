// Reads a query to the manual's search as terms: its words and phrases, each with its weight and with what else it may mean.
import { findNearest, findWithin } from "../../core/text/nearest.ts";
import { SELF_NAMES, STOP_WORDS, SYNONYMS, WEAK_WORDS } from "./synonyms.ts";
import { findStem, splitWords, type Word } from "./words.ts";

/** The words of all sections. */
export interface Vocabulary {
  readonly sectionCount: number;
  /** The number of sections that have each stem. */
  readonly frequencies: ReadonlyMap<string, number>;
}

/** One word or phrase of a query. Any of its meanings is looked for. */
export interface Term {
  /** The query's own first. */
  readonly meanings: readonly Meaning[];
  readonly weight: number;
  /** True for a word of many questions, which says little about the subject of this one. */
  readonly isWeak: boolean;
}

export interface Meaning {
  readonly stems: readonly string[];
  readonly weight: number;
}

export const SYNONYM_WEIGHT = 0.85;
export const WEAK_WEIGHT = 0.3;
const PREFIX_WEIGHT = 0.8;
/** For longer words, where the typed one is a word itself. */
const LONGER_WEIGHT = 0.3;
const TYPO_WEIGHT = 0.4;
const UNKNOWN_WEIGHT = 0.3;
/** For names such as `body_limit`, which are hardly ever meant in passing. */
const NAME = /[a-z]_[a-z]/;
const NAME_WEIGHT = 2;
const PREFIX_LEAST = 3;
const TYPO_LEAST = 6;
const COMPLETIONS_MAX = 8;

const GROUPS = SYNONYMS.map((phrases) => phrases.map(listStems));
const PHRASE_WORDS_MAX = Math.max(...GROUPS.flat().map(({ length }) => length));
const SELF_PHRASES = SELF_NAMES.map(listStems);
const WEAK_STEMS: ReadonlySet<string> = new Set([...WEAK_WORDS].map(findStem));

/** Reads a query's phrases and words. A query of stop words alone is read as it is. */
export function readTerms(vocabulary: Vocabulary, query: string): readonly Term[] {
  const words = splitQuery(vocabulary, query);
  const isTelling = ({ word }: Word) => !STOP_WORDS.has(word);
  const terms: Term[] = [];
  const add = (meanings: readonly Meaning[], isWeak: boolean) =>
    terms.push({ meanings, isWeak, weight: weighTerm(vocabulary, meanings) * (isWeak ? WEAK_WEIGHT : 1) });
  for (let at = 0; at < words.length; ) {
    const self = countSelf(words, at);
    const phrase = findPhrase(words, at);
    const word = words[at];
    const isWeak = word !== undefined && WEAK_STEMS.has(word.stem);
    if (self === 0 && phrase !== null) add(phrase.meanings, isWeak && phrase.length === 1);
    else if (self === 0 && word && (isTelling(word) || !words.some(isTelling)))
      add(readWord(vocabulary, word, at === words.length - 1), isWeak);
    at += self || (phrase?.length ?? 1);
  }
  return terms;
}

/** Names such as `body_limit` are searched as one word if a section has them, else by their parts. */
function splitQuery({ frequencies }: Vocabulary, query: string): readonly Word[] {
  return query.split(/\s+/).flatMap((part) => {
    const [whole, ...parts] = splitWords(part);
    if (whole === undefined) return [];
    return parts.length === 0 || frequencies.has(whole.stem) ? [whole] : parts;
  });
}

/** Returns how many words at this place name the gateway itself, unless they are the whole query. */
function countSelf(words: readonly Word[], at: number): number {
  const phrase = SELF_PHRASES.find((one) => isEqual(one, listPlace(words, at, one.length)));
  return phrase && phrase.length < words.length ? phrase.length : 0;
}

/** Returns the longest phrase of several words, or a word with synonyms, that stands at this place. */
function findPhrase(
  words: readonly Word[],
  at: number,
): { readonly meanings: readonly Meaning[]; readonly length: number } | null {
  for (let length = Math.min(PHRASE_WORDS_MAX, words.length - at); length > 0; length--) {
    const stems = listPlace(words, at, length);
    const groups = GROUPS.filter((group) => group.some((phrase) => isEqual(phrase, stems)));
    if (groups.length === 0) continue;
    const others = groups.flat().filter((phrase) => !isEqual(phrase, stems));
    const synonyms = others
      .map((phrase) => ({ stems: keepTelling(phrase), weight: SYNONYM_WEIGHT }))
      .filter((one) => one.stems.length > 0);
    const own = { stems: keepTelling(stems), weight: 1 };
    // A phrase such as "what is a" only stands for what its synonyms say.
    return { meanings: own.stems.length > 0 ? [own, ...synonyms] : synonyms, length };
  }
  return null;
}

/**
 * A word that no section has is completed, or else taken for a typing error. The last one may not be typed to its end, so
 * that longer words are meant, too.
 */
function readWord({ frequencies }: Vocabulary, { word, stem }: Word, isLast: boolean): readonly Meaning[] {
  const isKnown = frequencies.has(stem);
  const own = { stems: [stem], weight: 1 };
  const longer =
    word.length >= PREFIX_LEAST && (isLast || !isKnown)
      ? [...frequencies.keys()]
          .filter((one) => one.startsWith(word) && one !== stem)
          .slice(0, COMPLETIONS_MAX)
      : [];
  if (isKnown) return [own, ...longer.map((one) => ({ stems: [one], weight: LONGER_WEIGHT }))];
  if (longer.length > 0) return longer.map((one) => ({ stems: [one], weight: PREFIX_WEIGHT }));
  const similar = word.length < TYPO_LEAST ? [] : findSimilar(frequencies, word, stem);
  return similar.length > 0 ? similar : [own];
}

/** By the word, since a mistake may lie in its ending; and else by its stem. One wrong letter leaves little doubt. */
function findSimilar(frequencies: Vocabulary["frequencies"], word: string, stem: string): readonly Meaning[] {
  const one = findWithin(word, frequencies.keys(), 1) ?? findWithin(stem, frequencies.keys(), 1);
  if (one !== null) return [{ stems: [one], weight: SYNONYM_WEIGHT }];
  const byWord = findNearest(word, frequencies.keys(), 2);
  const near = byWord.length > 0 ? byWord : findNearest(stem, frequencies.keys(), 2);
  return near.map((each) => ({ stems: [each], weight: TYPO_WEIGHT }));
}

/** Rare words say more. A word that no section has, or has only nearly, counts little beside the others. */
function weighTerm(vocabulary: Vocabulary, meanings: readonly Meaning[]): number {
  const isKnown = ({ stems }: Meaning) => stems.every((stem) => vocabulary.frequencies.has(stem));
  const [own] = meanings;
  if (own === undefined || !meanings.some(isKnown)) return UNKNOWN_WEIGHT;
  const rarest = Math.max(...own.stems.map((stem) => weighStem(vocabulary, stem)));
  const isName = own.stems.some((stem) => NAME.test(stem));
  return rarest * (own.weight < PREFIX_WEIGHT ? own.weight : 1) * (isName ? NAME_WEIGHT : 1);
}

export function weighStem({ sectionCount, frequencies }: Vocabulary, stem: string): number {
  return Math.log(1 + sectionCount / (0.5 + (frequencies.get(stem) ?? 0)));
}

function listPlace(words: readonly Word[], at: number, length: number): readonly string[] {
  return words.slice(at, at + length).map(({ stem }) => stem);
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((stem, at) => stem === other[at]);
}

function keepTelling(stems: readonly string[]): readonly string[] {
  return stems.filter((stem) => !STOP_WORDS.has(stem));
}

function listStems(phrase: string): readonly string[] {
  return phrase.split(" ").map((word) => findStem(word.replace(/['’]/g, "")));
}
