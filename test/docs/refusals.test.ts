// The manual's table of what a model refuses against the words that have an effect.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APPLIED_REFUSALS, REFUSALS } from "../../src/core/models/refusals.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "models.md");
const HEAD = "| word | the model refuses | dialect |\n|---|---|---|\n";

function writeTable(): string {
  const rows = APPLIED_REFUSALS.map((word) => {
    const { meaning, appliesIn } = REFUSALS[word];
    return `| \`${word}\` | ${meaning} | ${appliesIn.join(", ")} |\n`;
  });
  return HEAD + rows.join("");
}

test("the table lists every word (UPDATE_DOCS=1 updates it)", () => {
  const text = readFileSync(FILE, "utf8");
  const start = text.indexOf(HEAD);
  const wanted = text.slice(0, start) + writeTable() + text.slice(text.indexOf("\n\n", start) + 1);
  expect(start).toBeGreaterThan(0);
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});
