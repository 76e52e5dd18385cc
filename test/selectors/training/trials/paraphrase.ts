// Counts how often each selector chooses the same model for the same question in other words.
import { loadShippedCards } from "../../../../src/catalogue/rows.ts";
import { SELECTORS } from "../../../../src/core/models/selector.ts";
import { choose } from "../../../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../../../src/selectors/index.ts";
import { hasData, type Pool, readTable, TEST_PART } from "../data.ts";
import { PARAPHRASES } from "../paraphrase.ts";
import { makeRequest, RULES } from "../pools.ts";
import { ownPrompts } from "../prompts.ts";
import { percent } from "../statistics.ts";

const ROWS_PER_POOL = 60;
const AIM = 0.9;

function pick(selector: (typeof SELECTORS)[number], prompt: string): string | undefined {
  return choose(SELECTOR_RULES[selector], {
    request: makeRequest(prompt),
    needs: new Map(),
    cards: loadShippedCards(),
    rules: RULES,
    quality: 0.98,
  }).choice?.id;
}

/** Uses rows that were never learned from, if they are here, and our own prompts. */
export function listParaphrases(pools: readonly Pool[]): readonly string[] {
  const rows = hasData()
    ? pools.flatMap((pool) =>
        readTable(pool)
          .rows.filter(({ part }) => part === TEST_PART)
          .slice(0, ROWS_PER_POOL),
      )
    : [];
  const own = ownPrompts(1, 99).map(({ prompt }) => prompt);
  const prompts = [...rows.map(({ prompt }) => prompt), ...own];
  const totals = { best: 0, fair: 0, light: 0 };
  const lines: string[] = [];
  for (const [name, change] of Object.entries(PARAPHRASES)) {
    const cells = SELECTORS.map((selector) => {
      const same = prompts.filter(
        (prompt, at) => pick(selector, prompt) === pick(selector, change(prompt, at)),
      );
      totals[selector] += same.length;
      return `${selector} ${percent(same.length / prompts.length)}`;
    });
    lines.push(`- ${name}: ${cells.join(", ")}`);
  }
  const count = prompts.length * Object.keys(PARAPHRASES).length;
  for (const selector of SELECTORS) {
    const share = totals[selector] / count;
    const spread = 1.96 * Math.sqrt((share * (1 - share)) / prompts.length);
    const verdict = share >= AIM ? "reached" : "NOT reached";
    lines.push(
      `- **${selector}: ${percent(share)} ± ${percent(spread)} of ${count}** (aim 90 %: ${verdict})`,
    );
  }
  return lines;
}
