// The types of an operation: its request, the pieces of a streamed answer, the whole answer, and its usage.

/** The fields that the gateway reads of every request, whatever is asked for. */
export interface Ask {
  /** The model as the client named it. */
  readonly model: string;
  readonly stream?: boolean;
}

/** The types of one operation. */
export interface Form {
  readonly ask: Ask;
  /** A streamed answer comes in these. */
  readonly piece: object;
  /** A whole answer. */
  readonly reply: object;
  readonly usage: object;
  /** Reads a dialect's stream; null: answers never stream. */
  readonly decoder: object | null;
}
