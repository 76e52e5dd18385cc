// The parts of `npm run drift`: new names in declarations, names without a row, pinned versions, and the table.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MODULES } from "../surfaces/declarations.ts";
import { listUnlisted } from "./kinds.ts";
import { listNewNames } from "./names.ts";
import { CLAUDE_CODE, PACKAGES, type Package } from "./packages.ts";
import { findPinned } from "./pinned.ts";
import { mergeTable } from "./table.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-names-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeRelease(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(text, "latin1"));
  }
  return join(folder, name);
}

function findPackage(name: string, registry: Package["registry"]): Package {
  const found = PACKAGES.find((one) => one.name === name && one.registry === registry);
  if (!found) throw new Error(`There is no package ${name}.`);
  return found;
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
  const google = findPackage("@google/genai", "npm");
  const older = writeRelease("older", { "dist/genai.d.ts": OLDER });
  const newer = writeRelease("newer", {
    "dist/genai.d.ts": OLDER.replace(
      "topK?: number;",
      "topK?: number;\n    readonly window?: '2h' | '8h';",
    ).replace('"STOP"', '"STOP",\n    ESCALATED = "ESCALATED"'),
  });
  expect(listNewNames(google, older, newer)).toEqual(["2h", "8h", "ESCALATED", "window"]);
  expect(listNewNames(google, newer, older)).toEqual([]);
  expect(listUnlisted(google, newer)).toEqual(["finish reason: ESCALATED"]);
});

const CLASS = `class Options(TypedDict, total=False):
    window: Literal["2h"]
    """Says "unsaid", and names
    nothing: at all."""
`;

test("a wheel's classes declare names in the same way", () => {
  const openai = findPackage("openai", "PyPI");
  const path = "openai/types/responses/options.py";
  const older = writeRelease("older-wheel", { [path]: CLASS });
  const newer = writeRelease("newer-wheel", {
    [path]: CLASS.replace('["2h"]', '["2h", "8h"]  # or "never"').concat("    continuation_id: str\n"),
  });
  expect(listNewNames(openai, older, newer)).toEqual(["8h", "continuation_id"]);
});

/** The name that is found, and what a release adds, in JavaScript and in Python. */
const ADDED: readonly (readonly [Package["registry"], string, string, string, string])[] = [
  ["npm", "openai", "route: /visions", "resources/x.js", "this._client.post('/visions', {})"],
  [
    "npm",
    "openai",
    `route: /visions/\${id}`,
    "resources/x.js",
    `_client.get((0, path_1.path) \`/visions/\${id}\`)`,
  ],
  ["PyPI", "openai", "route: /visions", "openai/resources/x.py", 'self._post(\n  "/visions",'],
  [
    "PyPI",
    "openai",
    "route: /visions/{id}",
    "openai/resources/x.py",
    'self._get(path_template("/visions/{id}"',
  ],
  [
    "npm",
    "@google/genai",
    "route: {model}:seeThings",
    "dist/node/index.cjs",
    "formatMap('{model}:seeThings'",
  ],
  ["npm", "@openrouter/sdk", "route: /visions", "esm/funcs/x.js", 'pathToFunc("/visions")()'],
  [
    "npm",
    "openai",
    "error code: odd_star",
    "resources/responses/responses.d.ts",
    "export interface ResponseError {\n    code: 'server_error' | 'odd_star';\n}\n",
  ],
  [
    "PyPI",
    "openai",
    "error code: odd_star",
    "openai/types/responses/x.py",
    'class ResponseError(BaseModel):\n    code: Literal[\n        "server_error",\n        "odd_star",\n    ]',
  ],
  [
    "npm",
    "@anthropic-ai/sdk",
    "error code: star_failure",
    "resources/shared.d.ts",
    "export interface StarErrorObject {\n    type: 'star_failure';\n}\n",
  ],
  [
    "PyPI",
    "anthropic",
    "error code: star_failure",
    "anthropic/types/shared/x.py",
    'class StarErrorObject(BaseModel):\n    type: Literal["star_failure"]',
  ],
  [
    "npm",
    "openai",
    "event: response.vision.delta",
    "resources/responses/responses.d.ts",
    "    type: 'response.vision.delta';",
  ],
  ["PyPI", "anthropic", "event: vision_delta", "anthropic/types/x.py", 'type: Literal["vision_delta"]'],
  [
    "npm",
    "@anthropic-ai/sdk",
    "tool: web_search_20991231",
    "resources/messages/messages.d.ts",
    "    type: 'web_search_20991231';",
  ],
  [
    "PyPI",
    "anthropic",
    "tool: web_search_20991231",
    "anthropic/types/x.py",
    'type: Required[Literal["web_search_20991231"]]',
  ],
  [
    "npm",
    "@anthropic-ai/sdk",
    "finish reason: tired",
    "resources/messages/messages.d.ts",
    "export type StopReason = 'end_turn' | 'tired';",
  ],
  [
    "PyPI",
    "anthropic",
    "finish reason: tired",
    "anthropic/types/x.py",
    'StopReason: TypeAlias = Literal[\n    "end_turn", "tired"\n]',
  ],
  [
    "PyPI",
    "openai",
    "finish reason: tired",
    "openai/types/chat/x.py",
    '    finish_reason: Literal["stop", "tired"]',
  ],
  [
    "npm",
    "@openrouter/sdk",
    "finish reason: tired",
    "esm/models/x.d.ts",
    'declare const ChatFinishReasonEnum: {\n    readonly Stop: "stop";\n    readonly Tired: "tired";\n};',
  ],
  [
    "npm",
    "@ai-sdk/anthropic",
    "beta: made-up-2026-10-10",
    "dist/index.js",
    'betas.add("made-up-2026-10-10"); models.add("gpt-5-2026-10-10")',
  ],
];

test.each(ADDED)("in %s's %s, a new %s is found", (registry, name, found, path, text) => {
  const own = writeRelease(`added-${Bun.hash(`${name}${path}${text}`)}`, { [path]: text });
  expect(listUnlisted(findPackage(name, registry), own)).toEqual([found]);
});

test.each(PACKAGES.filter(({ registry }) => registry === "npm").map((one) => [one.name, one] as const))(
  "%s as it is pinned declares its names, and each that has a table is in it",
  (name, one) => {
    const own = join(MODULES, name);
    expect(listNewNames(one, folder, own).length).toBeGreaterThan(20);
    expect(listUnlisted(one, own)).toEqual([]);
  },
);

test("betas without a row are found in a program's bytes, once each", () => {
  const bytes = '\0\xff"compact-2026-01-12",x="made-up-2026-10-10";y="made-up-2026-10-10";z="2026-10-10"\0';
  expect(listUnlisted(CLAUDE_CODE, writeRelease("program", { "bin/claude": bytes }))).toEqual([
    "beta: made-up-2026-10-10",
  ]);
});

test("each package has one pinned version, whatever its extras", () => {
  const root = join(import.meta.dir, "..", "..");
  for (const { name, pinnedBy } of PACKAGES)
    expect(findPinned(readFileSync(join(root, pinnedBy), "utf8"), name)).toMatch(/^\d+\.\d+\.\d+$/);
  expect(findPinned("a==1.0.0\nopenai[realtime]==3.57.0\n", "openai")).toBe("3.57.0");
  expect(() => findPinned("openai-agents==1.0.0\n", "openai")).toThrow("No version of openai");
});

test("a program's row takes the place of its former one, and others stay", () => {
  const row = {
    date: "2026-11-01",
    program: "a",
    pinned: "1",
    newest: "2",
    result: "two turns pass",
    names: [],
    unlisted: [],
  };
  const page = "Before\n<!-- drift -->\n<!-- end of drift -->\nafter\n";
  const other = { ...row, program: "b", newest: "1", names: ["x", "y"], unlisted: ["route: /z"] };
  const again = mergeTable(mergeTable(mergeTable(page, row), other), {
    ...row,
    date: "2026-12-01",
    result: "fails",
  });
  expect(again.split("\n").slice(2)).toEqual([
    "| date | program | pinned | newest | result | new names | without a row |",
    "|---|---|---|---|---|---|---|",
    "| 2026-11-01 | b | 1 | same | two turns pass | `x`, `y` | `route: /z` |",
    "| 2026-12-01 | a | 1 | 2 | fails | none | none |",
    "<!-- end of drift -->",
    "after",
    "",
  ]);
  expect(() => mergeTable("no table", row)).toThrow("no place");
});
