// Logged decisions: a replay gives the same result over many sets of models, and malformed ones are rejected.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { parseJson } from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { SELECTORS, type Selector } from "../../src/core/models/selector.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { readKind } from "../../src/learning/lesson.ts";
import { findNeeds } from "../../src/operations/chat/needs.ts";
import { type Choice, choose } from "../../src/selectors/choose.ts";
import { keepDecision, replayDecision } from "../../src/selectors/decision.ts";
import type { HealthView } from "../../src/selectors/expense.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import type { Knowledge } from "../../src/selectors/knowledge.ts";
import { computeRowWidth, packRow, unpackRow } from "../../src/selectors/row.ts";
import { makeDice } from "./dice.ts";

const NAMES = ["OpenAI", "Anthropic", "Google", "Mistral", "OpenRouter", "Groq", "DeepSeek", "xAI"];
const providers = NAMES.map((name) => ({ name, unlistedModels: false }));
const CARDS = buildCatalogue({ providers, overlay: [], operatorModels: [], aliases: {} })
  .list()
  .filter(({ operations }) => operations?.has("chat") ?? true);
const WORDS =
  "what is the integral of a python function which king wrote translate into german sort json".split(" ");
const SHARES = [0, 0.5, 0.9, 0.98, 1];

/** Random cards, words and health. */
function anyChoice(selector: Selector, roll: () => number, learned: Knowledge | null = null) {
  const share = SHARES[Math.floor(roll() * SHARES.length)] ?? 1;
  const words = Array.from({ length: 3 + roll() * 40 }, () => WORDS[Math.floor(roll() * WORDS.length)]);
  const request = { model: "x", messages: [{ role: "user" as const, content: words.join(" ") }] };
  const keep = 0.02 + roll();
  const cards: readonly ModelCard[] = CARDS.filter(() => roll() < keep);
  const seenOf = () => ({
    firstTokenMs: 100 + roll() * 5000,
    tokensPerSecond: 10 + roll() * 200,
    errorRate: roll() < 0.3 ? roll() : 0,
    isOpen: roll() < 0.1,
  });
  const seen = cards.map(() => (roll() < 0.3 ? seenOf() : null));
  const health: HealthView = { over: () => (place) => seen[place] ?? null };
  const rules = { fairQuality: share, deny: [], pin: {}, rules: [], explore: 0 };
  const choice = choose(SELECTOR_RULES[selector], {
    request,
    needs: findNeeds(request),
    cards,
    rules,
    quality: share,
    health,
    ...(learned === null ? {} : { learned }),
  });
  return { choice, share };
}

const kept = (choice: Choice, share: number) => JSON.stringify(keepDecision(choice, share));

test.each(SELECTORS)("Router#%s decides the same without learning as before the first lesson", (selector) => {
  const roll = makeDice(7);
  const again = makeDice(7);
  for (let round = 0; round < 50; round++) {
    const alone = anyChoice(selector, roll);
    const untaught = anyChoice(selector, again, new LearnedModels());
    expect(kept(alone.choice, alone.share)).toBe(kept(untaught.choice, untaught.share));
  }
});

describe("a stored decision", () => {
  test.each(SELECTORS)("of Router#%s is restored unchanged", (selector) => {
    const roll = makeDice(11);
    for (let round = 0; round < 200; round++) {
      const { choice, share } = anyChoice(selector, roll);
      const again = replayDecision(parseJson(kept(choice, share)));
      expect(again).toEqual({ choice: choice.choice?.id ?? null, same: true });
    }
  });

  test("stays small with many models, and counts those left out", () => {
    const { choice, share } = anyChoice("best", () => 0.99);
    expect(choice.candidates.length).toBe(CARDS.length);
    expect(kept(choice, share).length).toBeLessThan(5000);
    const { removed, candidates } = keepDecision(choice, share);
    const out = choice.candidates.filter(({ eligible }) => !eligible).length;
    expect(Object.values(removed).reduce((sum, count) => sum + count, 0)).toBe(out);
    expect(candidates.length).toBeLessThanOrEqual(14);
  });

  test("contains what is needed for learning: the row, to three digits, and the kind of request", () => {
    const { choice, share } = anyChoice("fair", makeDice(3));
    const kind = readKind(kept(choice, share));
    const { prediction } = choice.asked;
    for (const [at, value] of prediction.row.entries())
      expect(kind?.row[at]).toBeWithin(
        value - 1e-3 * Math.abs(value) - 1e-6,
        value + 1e-3 * Math.abs(value) + 1e-6,
      );
    expect(kind?.row).toHaveLength(computeRowWidth());
    expect(kind?.difficultyLogit).toBeCloseTo(prediction.difficultyLogit, 6);
    expect(kind?.support).toBeCloseTo(prediction.support, 3);
    for (const [at, share] of prediction.skills.entries())
      expect(kind?.skills[at]).toBeWithin(share - 0.03, share + 0.03);
  });
});

test("rows survive conversion to text, and invalid ones are rejected", () => {
  const row = new Float32Array([0, 0.5, -0.25, 2, 1024]);
  expect(unpackRow(packRow(row))).toEqual(row);
  expect(unpackRow(packRow(row.subarray(1, 3)))).toEqual(row.slice(1, 3));
  for (const odd of [Number.NaN, 1e9]) expect(unpackRow(packRow(Float32Array.of(odd)))).toBeNull();
  for (const text of ["", "!!", "AAA", "AAAAAAA="]) expect(unpackRow(text)).toBeNull();
});

test("anything else is rejected", () => {
  const lacking = [{ selector: "best" }, { selector: "king", share: 1, difficulty: 0.5 }];
  for (const value of [null, 1, "text", [], {}, ...lacking]) {
    expect(replayDecision(value)).toBeNull();
    expect(readKind(JSON.stringify(value))).toBeNull();
  }
});
