// The migration pages: each command is run as printed, on the file as printed, and makes the configuration as printed.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poundkey } from "../harness/poundkey.ts";
import { loadText } from "../harness/settings.ts";
import { readDocument } from "./documents.ts";

/** A page has several commands, which run one after the other. */
const COMMANDS_MS = 60_000;
setDefaultTimeout(COMMANDS_MS);

const PAGES = ["litellm", "new-api", "openrouter", "portkey"];
const root = mkdtempSync(join(tmpdir(), "poundkey-migrate-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Block {
  readonly language: string;
  readonly text: string;
  /** The file that the words before it name. Null if they name none. */
  readonly file: string | null;
}

function readBlocks(page: string): readonly Block[] {
  const text = readDocument(`src/docs/migrate-${page}.md`);
  return [...text.matchAll(/((?:^(?!```).*\n)*)^```(\w+)\n([\s\S]*?)^```/gm)].map(
    ([, before = "", language = "", block = ""]) => ({
      language,
      text: block,
      file: [...before.matchAll(/`([\w-]+\.(?:yaml|json|csv))`/g)].at(-1)?.[1] ?? null,
    }),
  );
}

/** The tables as new-api makes them, empty. */
function makeDatabase(path: string): void {
  using database = new Database(path);
  for (const table of ["users", "tokens", "channels"])
    database.run(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY)`);
  database.run("CREATE TABLE options (key TEXT PRIMARY KEY, value TEXT)");
}

describe.each(PAGES)("the page on %s", (page) => {
  const directory = mkdtempSync(join(root, `${page}-`));
  const path = (name: string) => join(directory, name);
  const blocks = readBlocks(page);

  test("has commands that run as printed, and make what is printed", async () => {
    const sources = blocks.filter(
      ({ language, file }) => language !== "sh" && file !== null && file !== "poundkey.yaml",
    );
    for (const { file, text } of sources) writeFileSync(path(file ?? ""), text);
    makeDatabase(path("one-api.db"));
    const commands = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.trim().split("\n"));
    expect(commands.length).toBeGreaterThan(0);
    let made = "";
    for (const command of commands) {
      const [program, ...args] = command.split(" ");
      expect(program).toBe("poundkey");
      rmSync(path("poundkey.yaml"), { force: true });
      const { code, out, err } = await poundkey(directory, args.slice(0, splitAt(args)));
      const written = args[splitAt(args) + 1];
      if (written !== undefined) writeFileSync(path(written), out);
      // 3 if the report has something for people to decide.
      const isDone = code === 0 || code === 3;
      expect([command, isDone, isDone ? "" : err]).toEqual([command, true, ""]);
      if (existsSync(path("poundkey.yaml"))) made = readFileSync(path("poundkey.yaml"), "utf8");
    }
    if (process.env.UPDATE_DOCS) update(page, made);
    else expect(blocks.some(({ language, text }) => language === "yaml" && text === made)).toBe(true);
  });

  test("has configurations that are valid", () => {
    for (const { language, text, file } of blocks) {
      if (language !== "yaml" || (file !== null && file !== "poundkey.yaml")) continue;
      const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
      const all = ["OPENAI", "ANTHROPIC", "OPENROUTER"].map((name) => `${name}_API_KEY`);
      const env = Object.fromEntries([...all, ...names].map((name) => [name, `value-of-${name}`]));
      expect(loadText(text, { env })).toMatchObject({ ok: true });
    }
  });
});

/** Returns the place of a redirection, or the end. */
function splitAt(args: readonly string[]): number {
  const at = args.indexOf(">");
  return at === -1 ? args.length : at;
}

function update(page: string, made: string): void {
  const file = join(import.meta.dir, `../../src/docs/migrate-${page}.md`);
  const text = readFileSync(file, "utf8");
  const found = /(`poundkey\.yaml`:\n\n```yaml\n)[\s\S]*?(```)/;
  writeFileSync(
    file,
    text.replace(found, (_, head: string, end: string) => `${head}${made}${end}`),
  );
}
