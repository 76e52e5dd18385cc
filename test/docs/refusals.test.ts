// The manual's table of what a model refuses against the words that have an effect.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT_DIALECTS, type DialectName } from "../../src/core/models/dialect-names.ts";
import { COUNT_WORDS, REFUSAL_WORDS, REFUSALS } from "../../src/core/models/refusals.ts";
import { BETA_WORDS } from "../../src/core/models/words/beta-refusal.ts";
import { BODY_REFUSALS, BODY_WORDS, FIELD_WORDS } from "../../src/core/models/words/body-refusals.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "refuses.md");
const HEAD = "| word | the model refuses | dialect |\n|---|---|---|\n";

const EXAMPLES: Readonly<Record<string, number>> = {
  tools: 128,
  picture_bytes: 5_242_880,
  text_characters: 1_048_576,
};

function writeTable(): string {
  const rows = REFUSAL_WORDS.map((word) => {
    const { meaning, appliesIn } = REFUSALS[word];
    return `| \`${word}\` | ${meaning} | ${listNames(appliesIn)} |\n`;
  });
  const counts = Object.entries(COUNT_WORDS.meanings).map(
    ([name, meaning]) => `| \`${name}>${EXAMPLES[name]}\` | ${meaning} | any |\n`,
  );
  const forms = BODY_WORDS.map((word) => `| \`${word}\` | ${BODY_REFUSALS[word].meaning} | any |\n`);
  const field = `| \`${FIELD_WORDS.example}\` | ${FIELD_WORDS.meaning} | any |\n`;
  const beta = `| \`${BETA_WORDS.example}\` | ${BETA_WORDS.meaning} | anthropic |\n`;
  return [HEAD, ...rows, ...counts, ...forms, field, beta].join("");
}

function listNames(names: readonly DialectName[]): string {
  return names.length === CHAT_DIALECTS.length ? "any" : names.join(", ");
}

test("the table lists every word (UPDATE_DOCS=1 updates it)", () => {
  const text = readFileSync(FILE, "utf8");
  const start = text.indexOf(HEAD);
  const wanted = text.slice(0, start) + writeTable() + text.slice(text.indexOf("\n\n", start) + 1);
  expect(start).toBeGreaterThan(0);
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});
