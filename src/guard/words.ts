// The operator's words: lists of names and terms, which match without case, with any number of spaces up to four.
import type { GuardWords } from "../core/models/guard.ts";
import { Automaton, type Cursor } from "./automaton.ts";
import { readWordTables } from "./characters.ts";

const SPACES = /\s+/g;
const SPACE = " ";
export const WORDS_PREFIX = "words:";

export class WordSearcher {
  readonly #automaton: Automaton;
  /** The lists in which each word stands, as detectors. */
  readonly #lists: string[][] = [];

  constructor(words: GuardWords, detectors: readonly string[]) {
    const { beside, folds } = readWordTables();
    this.#automaton = new Automaton({ beside, folds, hasWideSpaces: true });
    for (const detector of detectors) {
      for (const word of words.get(detector.slice(WORDS_PREFIX.length)) ?? []) this.#add(word, detector);
    }
    this.#automaton.link(Number.POSITIVE_INFINITY);
  }

  begin(): Cursor {
    return this.#automaton.begin();
  }

  feed(
    cursor: Cursor,
    text: string,
    from: number,
    to: number,
    tell: (from: number, to: number, detector: string) => void,
    offset = 0,
  ): void {
    const take = (word: number, start: number, end: number): void => {
      for (const detector of this.#lists[word] ?? []) tell(start, end, detector);
    };
    this.#automaton.feed(cursor, text, from, to, take, offset);
  }

  /** The place at which a word may have begun that isn't complete, or Infinity. */
  startOf(cursor: Cursor): number {
    return this.#automaton.startOf(cursor);
  }

  #add(word: string, detector: string): void {
    const known = this.#automaton.add(word.trim().replaceAll(SPACES, SPACE), this.#lists.length);
    const lists = this.#lists[known];
    if (lists === undefined) this.#lists.push([detector]);
    else if (!lists.includes(detector)) lists.push(detector);
  }
}
