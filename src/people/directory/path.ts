// The path of a change: an attribute, some of its elements, and a part of them.
import { type AttributeName, readName } from "./names.ts";
import { DirectoryRefusal } from "./refusal.ts";
import { type FilterValue, Scanner } from "./scanner.ts";

/** A part of an element that must have this value. */
export interface Match {
  readonly part: string;
  readonly value: FilterValue;
}

export interface Path extends AttributeName {
  /** The elements that are meant. Null for all. */
  readonly matches: readonly Match[] | null;
}

const PATH_CHARACTERS_MAX = 1000;
const MATCHES_MAX = 2;

/** Reads a path such as `name.givenName`, or one with a filter behind the attribute. Throws the refusal `invalidPath`. */
export function parsePath(text: string): Path {
  if (text.length > PATH_CHARACTERS_MAX) throw new DirectoryRefusal("invalidPath", "the path is too long");
  const scanner = new Scanner(text, "invalidPath");
  const name = readName(scanner.readName());
  if (scanner.isAtEnd) return { ...name, matches: null };
  scanner.require("[");
  const matches = readMatches(scanner);
  const part = scanner.passes(".") ? scanner.readName().toLowerCase() : null;
  if (!scanner.isAtEnd) throw scanner.refuse("expected the end");
  if (name.part !== null) throw scanner.refuse("a part of an attribute has no elements, before");
  return { attribute: name.attribute, part, matches };
}

function readMatches(scanner: Scanner): readonly Match[] {
  const matches: Match[] = [];
  for (;;) {
    scanner.skipSpaces();
    const part = scanner.readName().toLowerCase();
    scanner.skipSpaces();
    scanner.readWord("eq");
    scanner.skipSpaces();
    matches.push({ part, value: scanner.readValue() });
    scanner.skipSpaces();
    if (scanner.passes("]")) return matches;
    if (matches.length === MATCHES_MAX) throw scanner.refuse("expected ']'");
    scanner.readWord("and");
  }
}
