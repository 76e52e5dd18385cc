// The form of a mutant: one manual change that breaks a rule, and the tests that must catch it.

export interface Mutant {
  readonly name: string;
  /** Path from the repository's root. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Test files by part of their path. The simulation if missing. */
  readonly tests?: readonly string[];
}

/** The file's text with the mutant's change. Throws unless the text to be changed occurs exactly once. */
export function mutated(text: string, { name, file, find, replace }: Mutant): string {
  const parts = text.split(find);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw new Error(`The mutant '${name}' finds its place in ${file} ${parts.length - 1} times, not once.`);
  }
  return before + replace + after;
}
