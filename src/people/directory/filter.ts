// The filters of lists: one comparison for equality, or two that are joined by `and`.
import { readName } from "./names.ts";
import { DirectoryRefusal } from "./refusal.ts";
import { type FilterValue, Scanner } from "./scanner.ts";

/** A condition by which a list can be narrowed. Texts are compared without case, but for ids. */
export type Condition =
  | { readonly by: "id" | "externalId" | "userName" | "displayName" | "members"; readonly text: string }
  /** An e-mail address. Of any type if none is given. */
  | { readonly by: "email"; readonly text: string; readonly type: string | null }
  | { readonly by: "active"; readonly isActive: boolean };

const TEXTS_MAX = 2000;
const TEXT_CONDITIONS = {
  id: "id",
  externalid: "externalId",
  username: "userName",
  displayname: "displayName",
  members: "members",
  "members.value": "members",
} as const;

/** Throws the refusal `invalidFilter`, with the position of the mistake. */
export function parseFilter(text: string): readonly Condition[] {
  if (text.length > TEXTS_MAX) throw new DirectoryRefusal("invalidFilter", "the filter is too long");
  const scanner = new Scanner(text, "invalidFilter");
  scanner.skipSpaces();
  const first = readCondition(scanner);
  scanner.skipSpaces();
  if (scanner.isAtEnd) return [first];
  scanner.readWord("and");
  scanner.skipSpaces();
  const second = readCondition(scanner);
  scanner.skipSpaces();
  if (!scanner.isAtEnd) throw scanner.refuse("expected the end, since at most two comparisons are joined");
  return [first, second];
}

function readCondition(scanner: Scanner): Condition {
  const { attribute, part } = readName(scanner.readName());
  if (attribute === "emails" && part === null) return readEmail(scanner);
  const value = readEqual(scanner);
  const name = part === null ? attribute : `${attribute}.${part}`;
  if (name === "active") return { by: "active", isActive: readFlag(scanner, value) };
  if (typeof value !== "string") throw scanner.refuse(`expected a text for '${name}' before`);
  if (name === "emails.value") return { by: "email", text: value, type: null };
  if (isTextCondition(name)) return { by: TEXT_CONDITIONS[name], text: value };
  throw scanner.refuse(`this attribute can't be searched by ('${name}'), before`);
}

function isTextCondition(name: string): name is keyof typeof TEXT_CONDITIONS {
  return Object.hasOwn(TEXT_CONDITIONS, name);
}

/** Reads the rest of `emails[type eq "work"].value eq "a@b"`, or of `emails eq "a@b"`. */
function readEmail(scanner: Scanner): Condition {
  if (!scanner.passes("[")) {
    const value = readEqual(scanner);
    if (typeof value !== "string") throw scanner.refuse("expected an address before");
    return { by: "email", text: value, type: null };
  }
  scanner.skipSpaces();
  scanner.readWord("type");
  const type = readEqual(scanner);
  if (typeof type !== "string") throw scanner.refuse("expected a text before");
  scanner.skipSpaces();
  scanner.require("]");
  scanner.require(".");
  scanner.readWord("value");
  const value = readEqual(scanner);
  if (typeof value !== "string") throw scanner.refuse("expected an address before");
  return { by: "email", text: value, type };
}

function readEqual(scanner: Scanner): FilterValue {
  scanner.skipSpaces();
  scanner.readWord("eq");
  scanner.skipSpaces();
  return scanner.readValue();
}

function readFlag(scanner: Scanner, value: FilterValue): boolean {
  if (typeof value === "boolean") return value;
  const word = value.toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  throw scanner.refuse("expected true or false before");
}
