// Writes src/selectors/text/words.data.json, the most common words of the training prompts: `bun test/selectors/training/words.ts`.
import { join } from "node:path";
import { isTrial, POOLS, readTable, TEST_PART } from "./data.ts";
import { ownPrompts } from "./prompts.ts";

const PROMPTS_MIN = 5;
const OWN_PER_TEMPLATE = 12;
const OWN_SEED = 4;

/** Of single letters, only two are words. */
const WORD = /[a-z]{2,}|\b[ai]\b/g;

const seen = new Map<string, number>();
const take = (prompt: string) => {
  for (const word of new Set(prompt.toLowerCase().match(WORD))) seen.set(word, (seen.get(word) ?? 0) + 1);
};
for (const pool of POOLS) {
  for (const row of readTable(pool).rows) {
    if (row.part === TEST_PART || isTrial(row)) continue;
    take(row.prompt);
  }
}
// Questions contain little code and few letters, so our own prompts' words are known too, never typing errors.
const own = new Set(
  ownPrompts(OWN_PER_TEMPLATE, OWN_SEED).flatMap(({ prompt }) => prompt.toLowerCase().match(WORD) ?? []),
);
for (const word of own) if (!seen.has(word)) seen.set(word, 1);
const words = [...seen]
  .filter(([word, prompts]) => prompts >= PROMPTS_MIN || own.has(word))
  .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
  .map(([word]) => word);
const about = "The words in public prompts, the commonest first; made by test/selectors/training/words.ts.";
const file = join(import.meta.dir, "..", "..", "..", "src", "selectors", "text", "words.data.json");
await Bun.write(file, `${JSON.stringify({ about, words: words.join(" ") }, null, 1)}\n`);
console.log(`${words.length} words`);
