// The ports by which texts are searched, and a value that was found.

/** A value in a text. Positions are in UTF-16 units, `to` behind the last. */
export interface Match {
  readonly from: number;
  readonly to: number;
  /** A detector's name, or `words:NAME`. */
  readonly detector: string;
}

/** One text's search, which can be interrupted. */
export interface Search {
  /** Goes on for about so many characters. True once the text has been searched to its end. */
  run(charactersMax: number): boolean;
  /** The values found, in order, not yet joined where they overlap. Complete once `run` has returned true. */
  readonly found: readonly Match[];
}

export interface Scanner {
  /** `before` is what stands before the text: a field's name, for a value of the client's own JSON. */
  begin(text: string, before?: string): Search;
  /** The same in one go. */
  search(text: string, before?: string): readonly Match[];
}
