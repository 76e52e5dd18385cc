// The manual's table of what a model refuses against the words that have an effect.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS, type DialectName } from "../../src/core/models/dialect-names.ts";
import { APPLIED_REFUSALS, REFUSALS, TOOL_COUNT_WORD } from "../../src/core/models/refusals.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "models.md");
const HEAD = "| word | the model refuses | dialect |\n|---|---|---|\n";

function writeTable(): string {
  const rows = APPLIED_REFUSALS.map((word) => {
    const { meaning, appliesIn } = REFUSALS[word];
    return `| \`${word}\` | ${meaning} | ${listNames(appliesIn)} |\n`;
  });
  const count = `| \`${TOOL_COUNT_WORD.example}\` | ${TOOL_COUNT_WORD.meaning} | any |\n`;
  return [HEAD, ...rows, count].join("");
}

function listNames(names: readonly DialectName[]): string {
  return names.length === DIALECTS.length ? "any" : names.join(", ");
}

test("the table lists every word (UPDATE_DOCS=1 updates it)", () => {
  const text = readFileSync(FILE, "utf8");
  const start = text.indexOf(HEAD);
  const wanted = text.slice(0, start) + writeTable() + text.slice(text.indexOf("\n\n", start) + 1);
  expect(start).toBeGreaterThan(0);
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});
