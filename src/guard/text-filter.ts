// A filter takes a text in pieces and says what becomes of it; here what it says is applied to the text as it was written.

/** A number of characters of a text that leave as they came, or replaced. */
export interface TextPart {
  readonly length: number;
  /** Null if they leave as they came. */
  readonly by: string | null;
}

/** Takes one text in pieces. Its answers cover the text without gaps, in order; characters that are undecided come later. */
export interface TextFilter {
  push(text: string): readonly TextPart[];
  end(): readonly TextPart[];
}

/** The same on the text itself: returns what leaves now. */
export interface TextStream {
  push(text: string): string;
  end(): string;
}

/** A way to write texts: plain, or as in a JSON string. */
export interface Notation {
  /** Returns the position behind so many characters of the text that is written from `at` on. */
  skip(written: string, at: number, characters: number): number;
  write(text: string): string;
}

const PLAIN: Notation = {
  skip: (_, at, characters) => at + characters,
  write: (text) => text,
};

/** A text with what its filter makes of it. */
export class FilteredText {
  readonly #filter: TextFilter;
  readonly #notation: Notation;
  /** As written, what the filter has not decided yet. */
  #held = "";

  constructor(filter: TextFilter, notation: Notation) {
    this.#filter = filter;
    this.#notation = notation;
  }

  /** Takes a piece as it is written, and as it is read. */
  push(written: string, text: string): string {
    return this.#apply(this.#held + written, this.#filter.push(text));
  }

  end(): string {
    return this.#apply(this.#held, this.#filter.end());
  }

  #apply(written: string, decided: readonly TextPart[]): string {
    let left = "";
    let from = 0;
    for (const { length, by } of decided) {
      const to = this.#notation.skip(written, from, length);
      left += by === null ? written.slice(from, to) : this.#notation.write(by);
      from = to;
    }
    this.#held = written.slice(from);
    return left;
  }
}

/** Filters a plain text. */
export function filterText(filter: TextFilter): TextStream {
  const filtered = new FilteredText(filter, PLAIN);
  return { push: (text) => filtered.push(text, text), end: () => filtered.end() };
}
