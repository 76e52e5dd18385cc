// The manual's snippets for libraries in Python, run unchanged against the running gateway.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { listSnippets, SNIPPET_RUN_MS, type SnippetWorld, startSnippetWorld } from "../clients/snippet.ts";

/** The libraries pin another OpenAI SDK than our own tests, so they have their own environment. */
const PYTHON = join(import.meta.dir, "..", "..", ".venv", "frameworks", "bin", "python");

let world: SnippetWorld;
beforeAll(async () => {
  world = await startSnippetWorld();
});
afterAll(() => world.stop());

describe.skipIf(!existsSync(PYTHON))("the manual's Python examples (skipped if not installed)", () => {
  test.each(listSnippets("python"))(
    "%s",
    async (_, snippet) => {
      expect(await world.run(snippet, PYTHON, `${crypto.randomUUID()}.py`)).not.toBe("");
    },
    SNIPPET_RUN_MS,
  );
});
