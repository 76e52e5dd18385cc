// The words that stand before a number: which detectors' words begin within the last 40 characters.
import { Automaton, type Cursor } from "./automaton.ts";
import { readWordTables } from "./characters.ts";
import { CONTEXT_CHARACTERS, type Detector } from "./detector.ts";
import { isInPlaceholder } from "./placeholder-form.ts";

/** The words of several detectors, and which each is of. */
export class ContextWords {
  readonly automaton: Automaton;
  /** By word: places in the list of detectors. */
  readonly owners: number[][] = [];

  constructor(detectors: readonly Detector[]) {
    const { beside, nameFolds } = readWordTables();
    this.automaton = new Automaton({ beside, folds: nameFolds, hasWideSpaces: true });
    for (const [at, { words = [] }] of detectors.entries()) {
      for (const word of words) {
        const known = this.automaton.add(word, this.owners.length);
        const owners = this.owners[known];
        if (owners) owners.push(at);
        else this.owners.push([at]);
      }
    }
    this.automaton.link(Number.POSITIVE_INFINITY);
  }
}

const NEVER = -1_000_000;

/** Looks for words before the places of one text, which are asked for in their order. Only what is near such a place is read, and once. */
export class Context {
  readonly #words: ContextWords;
  #text: string;
  /** The place at which each detector's last word begins. */
  readonly #starts: Float64Array;
  #cursor: Cursor;
  #read = 0;

  constructor(words: ContextWords, detectors: number, text: string, before: string) {
    this.#words = words;
    this.#text = text;
    this.#starts = new Float64Array(detectors).fill(NEVER);
    this.#cursor = words.automaton.begin();
    if (before === "") return;
    const near = before.slice(-CONTEXT_CHARACTERS);
    // A space stands between the field's name and its value.
    this.#feed(near, 0, near.length, -near.length - 1);
    this.#cursor = words.automaton.begin();
  }

  /** Forgets the first characters of the text, and knows this one from there on. */
  slide(text: string, dropped: number): void {
    this.#text = text;
    if (dropped === 0) return;
    for (let row = 0; row < this.#starts.length; row++)
      this.#starts[row] = (this.#starts[row] ?? 0) - dropped;
    // The words before the next place are read again.
    this.#read = -1;
  }

  isAfterWord(detector: number, at: number): boolean {
    if (this.#read < at) {
      const from = Math.max(this.#read, at - CONTEXT_CHARACTERS);
      if (from > this.#read) {
        this.#cursor = this.#words.automaton.begin();
        this.#cursor.previous = this.#text.charCodeAt(from - 1);
      }
      this.#feed(this.#text, from, at, 0);
      this.#read = at;
    }
    return (this.#starts[detector] ?? NEVER) >= at - CONTEXT_CHARACTERS;
  }

  #feed(text: string, from: number, to: number, offset: number): void {
    this.#words.automaton.feed(this.#cursor, text, from, to, this.#take, offset);
  }

  readonly #take = (word: number, start: number, end: number): void => {
    // The mark of a swapped value is no word of its text: `<PHONE_3K9P0QRT>`.
    if (start > 0 && isInPlaceholder(this.#text, start, end)) return;
    for (const owner of this.#words.owners[word] ?? []) this.#starts[owner] = start;
  };
}
