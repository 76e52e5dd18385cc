// The meaning and default of each field of the configuration, by its path.
import notes from "./field-notes.yaml";

export interface FieldNote {
  readonly meaning: string;
  /** The value that counts if the field is left out. */
  readonly default?: unknown;
}

/** The notes by path: `<name>` is a name that the operator chooses, `<skill>` a kind of task, `[]` an entry of a list. */
export const FIELDS: Readonly<Record<string, FieldNote>> = notes;
