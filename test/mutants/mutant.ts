// The form of a mutant: one change by hand that breaks a rule, and which tests must see it.

export interface Mutant {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Test files by part of their path; the simulation unless given. */
  readonly tests?: readonly string[];
}

/** The file's text with the mutant's change. Throws when the text to be changed is not there exactly once. */
export function mutated(text: string, { name, file, find, replace }: Mutant): string {
  const parts = text.split(find);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw new Error(`The mutant '${name}' finds its place in ${file} ${parts.length - 1} times, not once.`);
  }
  return before + replace + after;
}
