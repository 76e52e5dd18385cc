// The manual's snippets for libraries in JavaScript, run unchanged against the running gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { listSnippets, SNIPPET_RUN_MS, type SnippetWorld, startSnippetWorld } from "./snippet.ts";

let world: SnippetWorld;
beforeAll(async () => {
  world = await startSnippetWorld();
});
afterAll(() => world.stop());

test.each(listSnippets("js"))(
  "%s",
  async (_, snippet) => {
    expect(await world.run(snippet, process.execPath, `${crypto.randomUUID()}.mjs`)).not.toBe("");
  },
  SNIPPET_RUN_MS,
);
