// Looks for the operator's words in a text that comes in pieces. A word counts once the character behind it is known.
import type { Cursor } from "./automaton.ts";
import type { Match } from "./scanner.ts";
import type { WordSearcher } from "./words.ts";

export class WordReader {
  readonly #words: WordSearcher;
  readonly #cursor: Cursor;
  /** The piece, behind the last character of the one before, and the place of its first character in the text. */
  #text = "";
  #base = 0;
  #read = 0;
  #found: Match[] = [];

  constructor(words: WordSearcher) {
    this.#words = words;
    this.#cursor = words.begin();
  }

  /** The place at which a word may have begun that isn't complete, or Infinity. */
  get begun(): number {
    return this.#words.startOf(this.#cursor);
  }

  get hasFound(): boolean {
    return this.#found.length > 0;
  }

  /** Takes the next piece, of which nothing is read yet. */
  take(piece: string): void {
    this.#base += this.#read;
    this.#text = this.#text.slice(this.#read) + piece;
    this.#read = 0;
  }

  /** Reads up to a place in the text, which is before its last character. */
  readTo(place: number): void {
    const to = place - this.#base;
    if (to <= this.#read) return;
    this.#words.feed(this.#cursor, this.#text, this.#read, to, this.#add, this.#base);
    this.#read = to;
  }

  /** Returns the words that were found since it was asked last. */
  takeFound(): readonly Match[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  readonly #add = (from: number, to: number, detector: string): void => {
    this.#found.push({ from, to, detector });
  };
}
