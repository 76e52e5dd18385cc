// The parts of `npm run drift`: new names in declarations, betas in a program, and the table.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MODULES } from "../surfaces/declarations.ts";
import { listNewNames, listUnknownBetas } from "./names.ts";
import { mergeTable } from "./table.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-names-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeModules(name: string, text: string): string {
  const file = join(folder, name, "@google/genai/dist/genai.d.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return join(folder, name);
}

const OLDER = `export declare interface Config {
    /** Says "UNSAID" in a comment. */
    topK?: number;
}
export declare enum FinishReason {
    STOP = "STOP"
}
`;

test("fields and literals that only the newer declarations have are new, and comments name nothing", () => {
  const older = writeModules("older", OLDER);
  const newer = writeModules(
    "newer",
    OLDER.replace("topK?: number;", "topK?: number;\n    readonly window?: '2h' | '8h';").replace(
      '"STOP"',
      '"STOP",\n    ESCALATION = "ESCALATION"',
    ),
  );
  expect(listNewNames("@google/genai", older, newer)).toEqual(["2h", "8h", "ESCALATION", "window"]);
  expect(listNewNames("@google/genai", newer, older)).toEqual([]);
});

test("the installed SDKs declare nothing beyond themselves, and all their files are found", () => {
  for (const sdk of ["openai", "@anthropic-ai/sdk"]) expect(listNewNames(sdk, MODULES, MODULES)).toEqual([]);
});

test("betas without a row are found in a program's bytes, once each", () => {
  const program = join(folder, "program");
  const bytes = '\0\xff"compact-2026-01-12",x="made-up-2026-10-10";y="made-up-2026-10-10";z="2026-10-10"\0';
  writeFileSync(program, Buffer.from(bytes, "latin1"));
  expect(listUnknownBetas(program)).toEqual(["made-up-2026-10-10"]);
});

test("a program's row takes the place of its former one, and others stay", () => {
  const row = {
    date: "2026-11-01",
    program: "a",
    pinned: "1",
    newest: "2",
    result: "two turns pass",
    names: [],
  };
  const page = "Before\n<!-- drift -->\n<!-- end of drift -->\nafter\n";
  const both = mergeTable(mergeTable(page, row), { ...row, program: "b", newest: "1", names: ["x", "y"] });
  const again = mergeTable(both, { ...row, date: "2026-12-01", result: "fails" });
  expect(again.split("\n").slice(2)).toEqual([
    "| date | program | pinned | newest | result | new names |",
    "|---|---|---|---|---|---|",
    "| 2026-11-01 | b | 1 | same | two turns pass | `x`, `y` |",
    "| 2026-12-01 | a | 1 | 2 | fails | none |",
    "<!-- end of drift -->",
    "after",
    "",
  ]);
  expect(() => mergeTable("no table", row)).toThrow("no place");
});
