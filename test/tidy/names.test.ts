// One name for one thing: the names of types that stand in more than one file of `src` are counted, and the count only falls.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNone, readSources, type Source } from "./sources.ts";

const RECORD = join(import.meta.dir, "names.data.json");
/** At the top level of a file, exported or not. */
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) ([A-Za-z_$][\w$]*)/gm;

/** Returns the names that several files declare, each with its files. */
function listShared(sources: readonly Pick<Source, "path" | "text">[]): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of sources)
    for (const [, name = ""] of text.matchAll(DECLARED))
      files.getOrInsertComputed(name, () => new Set()).add(path);
  return [...files]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].sort().join(", ")}`)
    .sort();
}

test("no more names of types stand in several files than on record: `UPDATE_DOCS=1 bun test tidy/names` lowers it", () => {
  const shared = listShared(readSources("src"));
  const record: { readonly typesInSeveralFiles: number } = JSON.parse(readFileSync(RECORD, "utf8"));
  const most = Math.min(record.typesInSeveralFiles, shared.length);
  if (process.env.UPDATE_DOCS) writeFileSync(RECORD, `${JSON.stringify({ typesInSeveralFiles: most })}\n`);
  console.log(`${shared.length} names of types in several files, ${record.typesInSeveralFiles} on record`);
  // One of them is new: let it say what kind it is.
  expectNone(shared.length > record.typesInSeveralFiles ? shared : []);
});

test("types and classes count wherever they stand at the top level, and twice in one file counts once", () => {
  const one = "export interface Parts {\n  readonly type: string;\n}\ntype Row = string;\nclass Reader {}\n";
  const other = "interface Parts {}\nabstract class Reader {}\nexport function Row() {}\n// type Row\n";
  const third = "type Kind = string;\nexport type { Kind as Row };\ninterface Kind {}\n";
  expect(
    listShared([
      { path: "one.ts", text: one },
      { path: "other.ts", text: other },
      { path: "third.ts", text: third },
    ]),
  ).toEqual(["Parts: one.ts, other.ts", "Reader: one.ts, other.ts"]);
});
