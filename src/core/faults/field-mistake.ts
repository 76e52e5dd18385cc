// A field of a request that does not fit its schema.

/** Says the mistake for messages that name the field in another way. */
export interface FieldMistake {
  /** A phrase without its stop, such as `expected a string, but got null instead`. */
  readonly what: string;
  /** The fields that the object may have, if this is none of them. */
  readonly known?: readonly string[];
  /** The unknown field that is spelt like this one, which is missing. */
  readonly misspelt?: string | undefined;
}
