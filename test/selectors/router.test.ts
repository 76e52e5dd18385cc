// The selectors, all deterministic: features, hard filters, the three rules, pins.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { SKILLS, type Skill } from "../../src/core/models/skill.ts";
import type { RouterRules } from "../../src/core/settings.ts";
import { planCalls } from "../../src/gateway/plan/plan.ts";
import { Health } from "../../src/health/health.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import type { ChooseInput } from "../../src/selectors/ask.ts";
import { best } from "../../src/selectors/best.ts";
import type { Candidate } from "../../src/selectors/candidate.ts";
import { choose, decide } from "../../src/selectors/choose.ts";
import type { CardHealth } from "../../src/selectors/expense.ts";
import { fair } from "../../src/selectors/fair.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { viewRoute } from "../../src/selectors/route-view.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { type Prediction, predict } from "../../src/selectors/text/predictor.ts";
import { describeChat, makeConversation } from "../harness/conversation.ts";
import {
  asking,
  CARDS,
  CODE,
  even,
  foretold,
  MATH,
  MIDDLE,
  makeCard,
  makeInput,
  PROMPTS,
  pick,
  RULES,
  STRONG,
  seeHealth,
  TRIVIA,
  WEAK,
} from "./sample-cards.ts";

function shareOf(skill: Skill, { skills }: Prediction): number {
  return skills[SKILLS.indexOf(skill)] ?? 0;
}

function mainSkill(prediction: Prediction): string {
  return SKILLS.toSorted((a, b) => shareOf(b, prediction) - shareOf(a, prediction))[0] ?? "";
}

function removals(request: ChatRequest, change: Partial<ChooseInput> = {}): Record<string, string | null> {
  const { candidates } = choose(best, makeInput(request, change));
  return Object.fromEntries(candidates.map(({ card, removedBy }) => [card.name, removedBy]));
}

describe("the features of a request", () => {
  test("include its kind, as a mixture that sums to 1", () => {
    expect(mainSkill(foretold(MATH))).toBe("math");
    expect(mainSkill(foretold(CODE))).toBe("coding");
    expect(mainSkill(foretold(TRIVIA))).toBe("knowledge");
    expect(mainSkill(foretold("Translate to German: the meeting is on Thursday."))).toBe("language");
    for (const prompt of PROMPTS) {
      const sum = foretold(prompt).skills.reduce((all, share) => all + share, 0);
      expect(sum).toBeCloseTo(1, 6);
    }
  });

  test("include a little of the skill of using tools if it has tools", () => {
    const tools = [{ type: "function" as const, function: { name: "weather" } }];
    const words = "What is it like in Porto?";
    const toolsShare = shareOf("tools", predict(readFeatures(asking(words, { tools }))));
    expect(toolsShare - shareOf("tools", foretold(words))).toBeWithin(0.03, 0.06);
  });

  test("rate a greeting as easier than a competition problem, with a shorter answer", () => {
    const hard = foretold(
      "Find all integers n such that n^2 + 3n + 5 is divisible by 121, and prove that there are no others.",
    );
    expect(foretold("Hi!").difficulty).toBeLessThan(hard.difficulty);
    expect(foretold("Hi!").outputTokens).toBeLessThan(hard.outputTokens);
    expect(predict(readFeatures(asking(CODE, { max_tokens: 16 }))).outputTokens).toBe(16);
  });

  test("ignore case, digits and spacing of words", () => {
    const grams = (text: string) => [...readFeatures(asking(text)).grams].toSorted(([a], [b]) => a - b);
    expect(grams("How many EGGS are 12 eggs?")).toEqual(grams("how many  eggs\nare 7 Egg"));
  });

  test("ignore greetings, pleas and thanks, unless nothing else is said", () => {
    const grams = (text: string) => new Map(readFeatures(asking(text)).grams);
    for (const [before, after] of [
      ["Hello! Could you please help me with this?\n", "\nThank you very much."],
      ["Good evening. Please ", ""],
      ["", " Thanks!"],
    ]) {
      expect(grams(`${before}${CODE}${after}`)).toEqual(grams(CODE));
    }
    for (const text of ["Hello!", "Hi, thank you very much!", "thanks", "Please?"]) {
      expect(grams(text).size).toBeGreaterThan(0);
    }
    const plea = "Could you help me choose a laptop?";
    expect(grams(plea).size).toBeGreaterThan(6);
  });

  test("are read within bounds from unknown words, no words, and 200 kB", () => {
    for (const text of ["", "qzxv wqpk jjzz", "\u0000\ud800 ", "x".repeat(200_000), "词".repeat(200_000)]) {
      const prediction = foretold(text);
      expect(prediction.support).toBeWithin(0, 1.0001);
      expect(prediction.row.every(Number.isFinite)).toBe(true);
    }
    expect(foretold("qzxvkw wqpkzt jjzzqq").support).toBeLessThan(0.3);
    for (const messages of [[], [{ role: "system" as const, content: "Be brief." }]]) {
      expect(predict(readFeatures({ model: "", messages })).row.every(Number.isFinite)).toBe(true);
    }
    expect(readFeatures(asking("ab ".repeat(70_000))).counts.chars).toBeLessThan(9000);
  });
});

describe("hard filters are applied first, and reported", () => {
  test("each reason", () => {
    const plain = makeCard("plain", 1, { capabilities: new Set() });
    const cards = [
      STRONG,
      plain,
      makeCard("free", 1, { price: null }),
      makeCard("small", 1, { contextTokensMax: 50 }),
    ];
    const schema = { type: "json_schema" as const, json_schema: { name: "a" } };
    const long = asking("a word ".repeat(100), { response_format: schema });
    expect(removals(long, { cards })).toEqual({
      strong: null,
      plain: "structured",
      free: "unpriced",
      small: "context",
    });
    const tools = [{ type: "function" as const, function: { name: "f" } }];
    expect(removals(asking("x", { tools }), { cards: [STRONG, plain] })).toEqual({
      strong: null,
      plain: "tools",
    });
    const content = [{ type: "image_url" as const, image_url: { url: "https://example.org/a.png" } }];
    const messages: ChatMessage[] = [{ role: "user", content }];
    expect(removals({ model: "", messages })).toEqual({ strong: "vision", middle: "vision", weak: "vision" });
    const rules = { ...RULES, deny: ["Acme#strong"] };
    const allowed = (id: string) => id !== "Acme#middle";
    expect(removals(asking(MATH), { rules, allowed })).toEqual({
      strong: "denied",
      middle: "not_allowed",
      weak: null,
    });
  });

  test("an open breaker removes a card, unless all others are removed too", () => {
    const open = (ids: readonly string[]) =>
      seeHealth((id) => (ids.includes(id) ? health({ isOpen: true }) : null));
    expect(removals(asking(MATH), { health: open(["Acme#strong"]) }).strong).toBe("unhealthy");
    expect(pick("best", asking(MATH), { health: open(["Acme#strong"]) })).toBe("Acme#middle");
    expect(pick("best", asking(MATH), { health: open(CARDS.map(({ id }) => id)) })).toBe("Acme#strong");
  });

  test("if none can serve, there is no choice, and the reason is given", () => {
    const { choice, candidates } = choose(fair, makeInput(asking("a ".repeat(40_000))));
    expect(choice).toBeNull();
    expect(candidates.map(({ removedBy }) => removedBy)).toEqual(["context", "context", "context"]);
  });
});

function health(change: Partial<CardHealth>): CardHealth {
  return { firstTokenMs: null, tokensPerSecond: null, errorRate: 0, isOpen: false, ...change };
}

describe("the three selectors", () => {
  test("best takes the best, fair the cheapest near it, light the fastest above its floor", () => {
    const cards = [WEAK, STRONG, { ...MIDDLE, skills: even(0.85) }];
    expect(pick("best", asking(MATH), { cards })).toBe("Acme#strong");
    expect(pick("fair", asking(MATH), { cards, quality: 0.9 })).toBe("Acme#middle");
    const seen = seeHealth((id) =>
      health({ firstTokenMs: id === "Acme#middle" ? 100 : 3000, tokensPerSecond: 100 }),
    );
    expect(pick("light", asking(CODE), { cards, health: seen })).toBe("Acme#middle");
    const slow = seeHealth((id) =>
      health({ firstTokenMs: id === "Acme#middle" ? 9000 : 3000, tokensPerSecond: 100 }),
    );
    expect(pick("light", asking(CODE), { cards, health: slow })).toBe("Acme#strong");
  });

  test("the choice doesn't depend on the order of the cards", () => {
    for (const selector of Object.values(SELECTOR_RULES)) {
      for (const prompt of PROMPTS) {
        const view = viewRoute(choose(selector, makeInput(asking(prompt))));
        expect(viewRoute(choose(selector, makeInput(asking(prompt), { cards: CARDS.toReversed() })))).toEqual(
          view,
        );
      }
    }
  });

  test("a stored prediction gives the same decision again", () => {
    const input = makeInput(asking(CODE));
    const first = choose(fair, input);
    const kept: typeof first.asked.prediction = structuredClone(first.asked.prediction);
    const other = { ...input, request: asking("not kept") };
    expect(viewRoute(decide(fair, other, kept, first.asked.promptTokens))).toEqual(viewRoute(first));
  });

  test("a lower quality share never costs more", () => {
    for (const prompt of PROMPTS) {
      const costs = [1, 0.98, 0.95, 0.9, 0.7, 0.4, 0].map((quality) => {
        const { candidates } = choose(fair, {
          ...makeInput(asking(prompt)),
          cards: loadShippedCards(),
          quality,
        });
        return candidates[0]?.costUsd ?? Number.NaN;
      });
      expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    }
  });

  test("candidates are sorted by score, removed ones last, and numbers are within bounds", () => {
    for (const selector of Object.values(SELECTOR_RULES)) {
      const { candidates } = choose(selector, { ...makeInput(asking(CODE)), cards: loadShippedCards() });
      const able = candidates.filter(({ eligible }) => eligible);
      expect(candidates.slice(0, able.length)).toEqual(able);
      const scores = able.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(candidates.every(sound)).toBe(true);
    }
  });

  test("the cost includes thinking, tiered prices and a warm cache", () => {
    const tiers = [{ aboveTokens: 100, input: 20, output: 100 }];
    const tiered = makeCard("tiered", 10, { price: { input: 2, output: 10, cachedInput: 0.2, tiers } });
    const costOf = (prompt: string, change: Partial<ChooseInput> = {}, more: Partial<ChatRequest> = {}) =>
      choose(fair, makeInput(asking(prompt, { max_tokens: 1, ...more }), { cards: [tiered], ...change }))
        .candidates[0]?.costUsd ?? 0;
    expect(costOf("word ".repeat(400))).toBeGreaterThan(costOf("word ".repeat(50)) * 20);
    expect(costOf("word ".repeat(50), { cached: () => ({ cardId: tiered.id, tokens: 50 }) })).toBeLessThan(
      costOf("word ".repeat(50)),
    );
    const thinking = { cards: [makeCard("thinker", 10, { capabilities: new Set(["reasoning"]) })] };
    expect(costOf(MATH, thinking, { reasoning_effort: "high" })).toBeGreaterThan(
      costOf(MATH, thinking, { reasoning_effort: "low" }),
    );
  });

  test("a rule limits its kind of task to the named models, or to all others", () => {
    const only = {
      category: "coding",
      shareMin: 0.5,
      models: ["Acme#middle", "Acme#weak"],
      deny: [],
    } as const;
    const not = { category: "coding", shareMin: 0.5, models: null, deny: ["Acme#middle"] } as const;
    const by = (...rules: RouterRules["rules"]) => ({ rules: { ...RULES, rules } });
    expect(removals(asking(CODE), by(only))).toEqual({ strong: "rule:coding", middle: null, weak: null });
    expect(pick("best", asking(CODE), by(only))).toBe("Acme#middle");
    expect(pick("best", asking(CODE), by(only, not))).toBe("Acme#weak");
    expect(removals(asking(MATH), by(only, not))).toEqual({ strong: null, middle: null, weak: null });
    const share = shareOf("coding", foretold(CODE));
    expect(pick("best", asking(CODE), by({ ...only, shareMin: share + 0.01 }))).toBe("Acme#strong");
    expect(pick("best", asking(CODE), by({ ...only, shareMin: share - 0.01 }))).toBe("Acme#middle");
    const pinned = { rules: { ...RULES, pin: { coding: "Acme#strong" }, rules: [only] } };
    expect(pick("best", asking(CODE), pinned)).toBe("Acme#middle");
  });

  test("if rules leave no model, the error mentions the operator's rules", () => {
    const rules = {
      ...RULES,
      rules: [{ category: "coding", shareMin: 0, models: ["Acme#none"], deny: [] }],
    } as const;
    const conversation = makeConversation("key", asking(CODE));
    const ask = () =>
      planCalls({
        ...describeChat(asking(CODE)),
        selection: { kind: "selector", selector: best, candidates: CARDS },
        rules,
        roll: () => 0,
        conversation,
        nowMs: 0,
        credentialsOf: () => [],
        health: new Health(() => {}),
        payer: NOBODY,
      });
    expect(ask).toThrow("No model that Router#best may choose is enabled.");
  });

  test("a pin only decides for its kind of task", () => {
    const rules = { ...RULES, pin: { coding: "Acme#weak" } };
    expect(pick("best", asking(CODE), { rules })).toBe("Acme#weak");
    expect(pick("best", asking(MATH), { rules })).toBe("Acme#strong");
    expect(choose(best, makeInput(asking(CODE), { rules })).pinned).toBe("coding");
    expect(pick("best", asking(CODE), { rules: { ...rules, deny: ["Acme#weak"] } })).toBe("Acme#strong");
  });
});

function sound({ eligible, quality, qualityLow, costUsd, latencyMs }: Candidate): boolean {
  const isShare = quality > 0 && quality < 1 && qualityLow > 0 && qualityLow <= quality;
  return isShare && latencyMs > 0 && (!eligible || (costUsd !== null && costUsd >= 0));
}
