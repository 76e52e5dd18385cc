// Casts are written where they are listed, each with its reason, and nowhere else.
import { expect, test } from "bun:test";
import { expectNone, readSources } from "./sources.ts";

interface ListedCast {
  readonly path: string;
  /** The cast as it is written. */
  readonly code: string;
  readonly reason: string;
}

/** The list only shrinks: a type guard or a reader says the same, and is true at run time too. */
const CASTS: readonly ListedCast[] = [
  {
    path: "src/core/fields/field.ts",
    code: "made as ByName<Table, ByKind>",
    reason: "each field's type follows from its kind, which a loop over fields loses",
  },
  {
    path: "src/core/fields/field.ts",
    code: "made as ByProperty<Table, ByKind>",
    reason: "as above, under the fields' properties",
  },
  {
    path: "src/core/fields/field.ts",
    code: "initials as InitialsOf<Table>",
    reason: "the type leaves out the same fields, by the same condition",
  },
  {
    path: "src/store/schema/tables.ts",
    code: "row as Row",
    reason: "a row is complete once each of its columns has been read",
  },
  {
    path: "src/store/sqlite/row-writer.ts",
    code: "as unknown as Writer",
    reason: "Bun takes a statement's values as one array, which its types don't say",
  },
  {
    path: "src/surfaces/openai-chat/read.ts",
    code: "value as Checked",
    reason: "the request's schema was checked, and its type isn't derived from it",
  },
];

const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
const CAST =
  /[\w)\]}>"] as (?!const\b)(?:[A-Z]\w*|readonly|unknown|string|number|boolean|object|keyof|typeof|any|never|[([{])/;
/** Imports under another name, types with other keys, and text on a page. */
const OTHER =
  /^\s*(?:import|export) .* from |\bin keyof \w+ as |^\s*[\w ,.']+ as [\w ,.']+$|> *[\w ,.']+ as [\w ,.']+<\//;

/** Returns the lines that have a cast, with their numbers. */
function findCasts(text: string): readonly { readonly line: number; readonly code: string }[] {
  const code = text.replace(NOT_CODE, (found) => `""${"\n".repeat(found.split("\n").length - 1)}`);
  return code
    .split("\n")
    .flatMap((one, at) => (CAST.test(one) && !OTHER.test(one) ? [{ line: at + 1, code: one.trim() }] : []));
}

test("every cast is on the list", () => {
  expectNone(
    readSources("src").flatMap(({ path, text }) =>
      findCasts(text)
        .filter(({ code }) => !CASTS.some((cast) => cast.path === path && code.includes(cast.code)))
        .map(({ line, code }) => `${path}:${line}: ${code}`),
    ),
  );
});

test("each cast on the list still exists", () => {
  const found = new Map(readSources("src").map(({ path, text }) => [path, findCasts(text)]));
  expectNone(
    CASTS.filter(({ path, code }) => !found.get(path)?.some((one) => one.code.includes(code))).map(
      ({ path, code }) => `${path}: ${code}`,
    ),
  );
});

test.each([
  ["const fields = value as JsonObject;", 1],
  ["return (SKILLS as readonly Kind[]).indexOf(category);", 1],
  ["const words = [] as string[];", 1],
  ["const row = exports as unknown as Program;", 1],
  ["const GROUPS = [1, 2] as const;", 0],
  ['import { one as Other } from "./one.ts";', 0],
  ["  readonly [Name in keyof Table as Table[Name]]: string;", 0],
  ["// Read as JSON.", 0],
  ['const message = "written as CSV";', 0],
])("%s", (source, count) => {
  expect(findCasts(source)).toHaveLength(count);
});
