// The manual's chapters against the code: errors, models, commands and contents match.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { collectCards } from "../../src/catalogue/catalogue.ts";
import { FAULTS } from "../../src/core/faults/fault.ts";
import { readChapter } from "../../src/docs/site/chapter.ts";
import { CHAPTER_NAMES, INDEX } from "../../src/docs/site/contents.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { SIM_MODELS } from "../../src/simulator/models.ts";
import { DOCUMENTS, filesOfTests, readDocument, scriptsOfPackage } from "./documents.ts";

const FOLDER = join(import.meta.dir, "..", "..", "src", "docs");
const chapters = CHAPTER_NAMES.map((name) =>
  readChapter(name, readFileSync(join(FOLDER, `${name}.md`), "utf8")),
);

describe("contents", () => {
  test("list every chapter's file", () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".md"));
    expect(files.map((file) => file.slice(0, -".md".length)).sort()).toEqual([...CHAPTER_NAMES].sort());
  });

  test("the first page links to all others", () => {
    const first = readDocument("src/docs/index.md");
    const others = CHAPTER_NAMES.filter((name) => name !== INDEX);
    expect(others.filter((name) => !first.includes(`(${name}.md)`))).toEqual([]);
  });

  test("every chapter starts with a title and a summary, and its headings have unique ids", () => {
    for (const { name, title, summary, headings } of chapters) {
      expect([name, title.length > 2, summary.length > 40]).toEqual([name, true, true]);
      expect(summary).not.toStartWith("In short");
      const ids = headings.map(({ id }) => id);
      expect([name, ids.length]).toEqual([name, new Set(ids).size]);
      expect([name, headings.filter(({ html }) => html.includes("<a "))]).toEqual([name, []]);
    }
  });
});

/** A chapter says what matters before its first section: one line, or a list. */
const IN_SHORT = /<strong>In short:?<\/strong>/;

test("every chapter but the overview begins with what it says in short", () => {
  const without = chapters.filter(({ html }) => !IN_SHORT.test(html.split("<h2")[0] ?? ""));
  expect(without.map(({ name }) => name)).toEqual([INDEX]);
});

describe("the chapters of errors", () => {
  const names = CHAPTER_NAMES.filter((name) => /^errors(-|$)/.test(name));
  const text = names.map((name) => readDocument(`src/docs/${name}.md`)).join("\n");
  /** A code has a section, or a row of a table. */
  const sections = [
    ...text.matchAll(
      /^(?:### (?=\w+\n)|\| `(?=\w+` \|))(\w+)(?:\n\n|` \| )(\d+) · `(\w+)` · (\w+)([^|\n]*)/gm,
    ),
  ];

  test("lists each code once, with its status, type and blame", () => {
    const written = sections.map(([, code, status, type, blame]) => ({ code, status, type, blame }));
    const wanted = Object.entries(FAULTS).map(([code, { status, type, blame }]) => {
      return { code, status: String(status), type, blame };
    });
    const byCode = (one: { readonly code?: string }, other: { readonly code?: string }) =>
      String(one.code).localeCompare(String(other.code));
    expect(written.sort(byCode)).toEqual(wanted.sort(byCode));
  });

  test("says which are final and which have no code", () => {
    const marked = (mark: string) =>
      sections.filter(([, , , , , more]) => more?.includes(mark)).map(([, code]) => code);
    const having = (field: "final" | "codeless") =>
      Object.entries(FAULTS).flatMap(([code, row]) => (field in row ? [code] : []));
    expect(marked("final").sort()).toEqual(having("final").sort());
    const unshown = new Set(["client_gone"]);
    expect(marked("`code: null`").sort()).toEqual(
      having("codeless")
        .filter((code) => !unshown.has(code))
        .sort(),
    );
  });
});

test("every log event is in logs.md", () => {
  const table = readDocument("src/docs/logs.md");
  const sources = readdirSync(join(FOLDER, ".."), { recursive: true, encoding: "utf8" });
  const events = sources
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readDocument(`src/${file}`).matchAll(/(?:\bevent: |#logEvent\(|\bschedule\()"([a-z_]+)"/g),
    ])
    .map(([, name = ""]) => name);
  expect(events.length).toBeGreaterThan(30);
  expect([...new Set(events)].filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

test("every command is in command-line.md", () => {
  const table = readDocument("src/docs/command-line.md");
  const [, rows = ""] =
    /const COMMANDS[^=]*= \{\n([\s\S]*?)\n\};/.exec(readDocument("src/cli/commands.ts")) ?? [];
  const names = [...rows.matchAll(/^ {2}(\w+): (?:\{$|onStore)/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !table.includes(`| \`poundkey ${name}`))).toEqual([]);
});

test("rooms and the rows of src/README.md match", () => {
  const entries = readdirSync(join(FOLDER, ".."), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const rows = [...readDocument("src/README.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(rows.toSorted()).toEqual(rooms.toSorted());
});

test("every model named in the documents is in the catalogue", () => {
  const known = new Set(collectCards([]).keys());
  const providers = PROVIDERS.map(({ name }) => name).join("|");
  const pattern = new RegExp(`\\b(?:${providers})#[\\w.:/@-]*\\w`, "g");
  const named = DOCUMENTS.flatMap((path) =>
    [...readDocument(path).matchAll(pattern)].map(([id]) => ({ path, id })),
  );
  expect(named.length).toBeGreaterThan(20);
  // OpenRouter lists more models than the catalogue, custom servers list their own, and one is the example of a new model.
  expect(
    named.filter(
      ({ id }) => !known.has(id) && !/^(OpenRouter|Ollama|vLLM|LMStudio)#|^OpenAI#gpt-7-sol$/.test(id),
    ),
  ).toEqual([]);
});

test("the manual names the simulated models, and no others", () => {
  const chapters = CHAPTER_NAMES.map((name) => readDocument(`src/docs/${name}.md`)).join("\n");
  const named = [...chapters.matchAll(/`Sim#([^`]+)`/g)].map(([, name = ""]) => name);
  const all = SIM_MODELS.map(({ name }) => name);
  expect(named.filter((name) => !all.includes(name))).toEqual([]);
  // A model that misbehaves in another way is named by that alone.
  const isSaid = (name: string) => named.includes(name) || chapters.includes(`\`${/~.*/.exec(name)?.[0]}\``);
  expect(all.filter((name) => !isSaid(name))).toEqual([]);
});

test("every command that may create a store is listed in command-line.md", () => {
  const [, listed = ""] =
    /^Only (`serve`[\s\S]*?) create\s+a\s+store/m.exec(readDocument("src/docs/command-line.md")) ?? [];
  const commands = [...listed.matchAll(/`(\w+)[^`]*`/g)].map(([, name]) => name);
  const makers = readdirSync(join(FOLDER, "..", "cli"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && readDocument(`src/cli/${file}`).includes('opening: "make"'))
    .map((file) => basename(file, ".ts"));
  expect(makers.length).toBeGreaterThan(1);
  expect(commands).toEqual(expect.arrayContaining([...makers, "serve", "apply", "import", "restore"]));
});

test("every command named in the documents exists", () => {
  const scripts = scriptsOfPackage();
  const tests = filesOfTests();
  const wrong = DOCUMENTS.flatMap((path) => {
    const text = readDocument(path);
    const runs = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name);
    const filters = [...text.matchAll(/bun test ([\w/ -]+)[`)]/g)].flatMap(([, words = ""]) =>
      words.split(" "),
    );
    return [
      ...runs.filter((name) => !scripts.includes(name)).map((name) => `${path}: npm run ${name}`),
      ...filters
        .filter((word) => !tests.some((file) => file.includes(word)))
        .map((word) => `${path}: bun test ${word}`),
    ];
  });
  expect(wrong).toEqual([]);
});
