// A value of any length, which was found and goes on.

type GoOn = (text: string, at: number, limit: number) => number;

/** As many characters must be known behind the place up to which a value goes on. */
const AHEAD = 128;

export class Growth {
  readonly detector: string;
  /** The detector's place in the list. */
  readonly row: number;
  readonly #goOn: GoOn;
  #from: number;
  #to: number;

  constructor(detector: string, row: number, goOn: GoOn, from: number, to: number) {
    this.detector = detector;
    this.row = row;
    this.#goOn = goOn;
    this.#from = from;
    this.#to = to;
  }

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  slide(dropped: number): void {
    this.#from -= dropped;
    this.#to -= dropped;
  }

  /** Goes on for at most so many characters, and returns how many are left: none if it may go on. */
  grow(text: string, charactersMax: number): number {
    const limit = Math.min(text.length, this.#to + charactersMax);
    const left = charactersMax + this.#to;
    this.#to = this.#goOn(text, this.#to, limit);
    return this.#to >= limit && this.#to < text.length ? 0 : Math.max(0, left - this.#to);
  }

  /** Goes on in a text of which more may follow, if it `isOpen`. True once the value has ended. */
  growOpen(text: string, isOpen: boolean): boolean {
    const limit = isOpen ? Math.max(this.#to, text.length - AHEAD) : text.length;
    this.#to = this.#goOn(text, this.#to, limit);
    return !isOpen || this.#to < limit;
  }
}
