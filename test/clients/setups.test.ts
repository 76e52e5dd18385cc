// The manual's snippets for libraries, run as they stand against the running gateway.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillSnippet, type Snippet } from "../../src/docs/client-setup.ts";
import { CLIENT_SETUPS } from "../../src/docs/client-setups.ts";
import { startUnderTest, type UnderTest } from "../harness.ts";

/** The Python libraries pin another OpenAI SDK than our own tests, so they have an environment of their own. */
const PYTHON = join(import.meta.dir, "../../.venv/frameworks/bin/python");
const HAS_PYTHON = existsSync(PYTHON);
const RUN_MS = 60_000;

let under: UnderTest;
let folder: string;
beforeAll(async () => {
  under = await startUnderTest();
  // Within the project, so that its packages are found.
  folder = mkdtempSync(join(import.meta.dir, ".snippets-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await under.stop();
});

const SNIPPETS = CLIENT_SETUPS.flatMap(({ title, snippets }) =>
  snippets.map((snippet) => [`${title}, ${snippet.language}`, snippet] as const),
);
const listSnippets = (language: Snippet["language"]) =>
  SNIPPETS.filter(([, snippet]) => snippet.language === language);

async function run(snippet: Snippet, command: string, file: string): Promise<string> {
  const path = join(folder, file);
  writeFileSync(path, fillSnippet(snippet, under.url, under.secret));
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const child = Bun.spawn([command, path], { env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(err);
  return out.trim();
}

describe("JavaScript", () => {
  test.each(listSnippets("js"))(
    "%s",
    async (_, snippet) => {
      expect(await run(snippet, process.execPath, `${crypto.randomUUID()}.mjs`)).not.toBe("");
    },
    RUN_MS,
  );
});

describe.skipIf(!HAS_PYTHON)("Python", () => {
  test.each(listSnippets("python"))(
    "%s",
    async (_, snippet) => {
      expect(await run(snippet, PYTHON, `${crypto.randomUUID()}.py`)).not.toBe("");
    },
    RUN_MS,
  );
});
