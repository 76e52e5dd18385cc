// The manual stays as short as it has become: words of prose by chapter against those on record.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countManualWords, countProse } from "./manual-words.ts";
import { expectNone } from "./sources.ts";

const RECORD = join(import.meta.dir, "manual-words.data.json");
/** A change that needs more words than this in a chapter shortens something else there, or takes a chapter of its own. */
const MORE_MOST = 1200;

test("no chapter has grown by more than 1,200 words: `UPDATE_DOCS=1 bun test tidy/manual-words` records them", () => {
  const words = countManualWords();
  if (process.env.UPDATE_DOCS) writeFileSync(RECORD, `${JSON.stringify(words, null, 2)}\n`);
  const recorded: Record<string, number> = JSON.parse(readFileSync(RECORD, "utf8"));
  const sum = Object.values(words).reduce((total, count) => total + count, 0);
  console.log(`the manual: ${sum.toLocaleString("en")} words of prose`);
  expectNone(
    Object.entries(words)
      .filter(([name, count]) => count > (recorded[name] ?? 0) + MORE_MOST)
      .map(([name, count]) => `${name}.md: ${count} words, ${recorded[name] ?? 0} on record`),
  );
});

test("code blocks and cells of names and numbers aren't prose, sentences in tables are", () => {
  const row = "<td><code>log.days</code></td><td>30</td><td>Rows older than this are deleted.</td>";
  expect(countProse(`<p>Three short words</p><pre>curl -s</pre><table><tr>${row}</tr></table>`)).toBe(9);
});
