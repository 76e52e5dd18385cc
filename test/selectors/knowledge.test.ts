// The selectors' knowledge of models: profiles, unseen requests, online learning, the shipped parameters.
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { SKILLS } from "../../src/core/models/skill.ts";
import { LearnedModels, SHIFT_MAX } from "../../src/learning/learned.ts";
import { best, LIKENESS_MIN } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { fair } from "../../src/selectors/fair.ts";
import { findProfile } from "../../src/selectors/profiles.ts";
import { loadShippedParameters } from "../../src/selectors/text/parameters.ts";
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
  STRONG,
  TRIVIA,
} from "./sample-cards.ts";
import { DATA } from "./training/data.ts";
import { PARAPHRASES } from "./training/paraphrase.ts";
import { ownPrompts } from "./training/prompts.ts";
import { teach } from "./training/teach.ts";
import { train } from "./training/train.ts";

describe("profiles", () => {
  test("every card of the catalogue has a row with its source", () => {
    for (const card of loadShippedCards()) {
      const { skills, spreads, source, benchmark, asOf } = findProfile(card);
      expect(skills.length).toBe(SKILLS.length);
      expect(skills.every((skill) => skill > 0 && skill < 1)).toBe(true);
      expect(spreads.every((spread) => spread > 0)).toBe(true);
      expect(`${source} ${benchmark} ${asOf}`).toMatch(
        /^(guess null null|benchmark (LiveBench|Aider polyglot|LLMStats) \d{4}-\d\d-\d\d)$/,
      );
    }
  });

  test("a model known only by a skills row is chosen where it should be", () => {
    const cards = [...CARDS, makeCard("new", 1, { skills: { ...even(0.6), math: 0.97 } })];
    for (const selector of ["best", "fair"] as const) {
      expect(pick(selector, asking(MATH), { cards })).toBe("Acme#new");
      expect(pick(selector, asking(CODE), { cards })).toBe("Acme#strong");
    }
  });

  test("an unknown card is judged by its price, with more doubt than a measured one", () => {
    const [dear, cheap] = [makeCard("a", 25), makeCard("b", 0.1)].map((card) => findProfile(card));
    expect(dear?.skills[0]).toBeGreaterThan(cheap?.skills[0] ?? 1);
    expect(dear?.source).toBe("guess");
  });

  test("for an unfamiliar request the overall level counts more", () => {
    const strange = "qzxv wqpk jjzz vvkq zzpw qqxj";
    const cards = [
      { ...STRONG, skills: even(0.85) },
      { ...MIDDLE, skills: { ...even(0.7), knowledge: 0.99, language: 0.99 } },
    ];
    const qualities = (prompt: string) => {
      const { candidates } = choose(best, makeInput(asking(prompt), { cards }));
      return new Map(candidates.map(({ card, quality }) => [card.name, quality]));
    };
    expect(qualities(TRIVIA).get("middle")).toBeGreaterThan(qualities(TRIVIA).get("strong") ?? 1);
    expect(qualities(strange).get("middle")).toBeLessThan((qualities(strange).get("strong") ?? 0) + 0.1);
  });
});

test("common words of many kinds are no known kind: there is more doubt", () => {
  const mixed =
    "Which king merges two sorted eggs a day in the meeting? Write how the Python ducks signed it late.";
  const cards = [
    { ...STRONG, skills: even(0.8) },
    { ...MIDDLE, skills: { ...even(0.7), coding: 0.97 } },
  ];
  const change = { cards };
  expect(foretold(CODE).sure).toBe(1);
  expect(foretold(mixed).sure).toBeLessThan(0.5);
  const unsure = (prompt: string) => {
    const [first] = choose(best, makeInput(asking(prompt), change)).candidates;
    return (first?.quality ?? 0) - (first?.qualityLow ?? 0);
  };
  expect(unsure(mixed)).toBeGreaterThan(unsure(CODE) + 0.05);
});

describe("learning online", () => {
  const told = (learned: LearnedModels, card: ModelCard, score: number, times: number, prompt = CODE) => {
    const lesson = { card, prediction: foretold(prompt), score, weight: 1 };
    for (let time = 0; time < times; time++) teach(learned, lesson);
    learned.fit();
  };
  const qualityOf = (card: ModelCard, learned: LearnedModels, prompt = CODE) =>
    choose(best, makeInput(asking(prompt), { learned })).candidates.find((one) => one.card.id === card.id)
      ?.quality ?? 0;

  test("bad scores change the choice within bounds, and a reset restores it", () => {
    const learned = new LearnedModels();
    const before = qualityOf(STRONG, learned);
    expect(pick("best", asking(CODE), { learned })).toBe("Acme#strong");
    told(learned, STRONG, 0, 60);
    expect(pick("best", asking(CODE), { learned })).toBe("Acme#middle");
    expect(before - qualityOf(STRONG, learned)).toBeWithin(0.05, SHIFT_MAX + 1e-9);
    learned.reset("Acme#strong");
    learned.fit();
    expect(qualityOf(STRONG, learned)).toBe(before);
    expect(pick("best", asking(CODE), { learned })).toBe("Acme#strong");
  });

  test("one score changes little, and a signal less than a judgment", () => {
    const judged = new LearnedModels();
    const signalled = new LearnedModels();
    const before = qualityOf(STRONG, judged);
    told(judged, STRONG, 0, 1);
    teach(signalled, {
      card: STRONG,
      prediction: foretold(CODE),
      score: 0,
      weight: 0.3,
    });
    signalled.fit();
    expect(before - qualityOf(STRONG, judged)).toBeWithin(0.001, 0.1);
    expect(qualityOf(STRONG, signalled)).toBeGreaterThan(qualityOf(STRONG, judged));
  });

  test("lessons on one kind count less for another", () => {
    const learned = new LearnedModels();
    told(learned, MIDDLE, 0, 40, CODE);
    told(learned, MIDDLE, 1, 40, TRIVIA);
    const lost = (prompt: string) =>
      qualityOf(MIDDLE, new LearnedModels(), prompt) - qualityOf(MIDDLE, learned, prompt);
    expect(lost(CODE)).toBeGreaterThan(lost(TRIVIA) + 0.05);
  });

  test("lessons on one kind don't affect other kinds or far longer requests", () => {
    const learned = new LearnedModels();
    const known = ownPrompts(12, 5).filter(({ topic }) => topic === "coding" || topic === "word_problem");
    for (const { prompt } of known) {
      const prediction = foretold(prompt);
      for (const card of [STRONG, MIDDLE]) teach(learned, { card, prediction, score: 0.9, weight: 1 });
    }
    learned.fit();
    const isKnown = (prompt: string) => (learned.likenessOf(foretold(prompt)) ?? 0) >= LIKENESS_MIN;
    const own = known.map(({ prompt }) => isKnown(prompt));
    expect(own.filter(Boolean).length / own.length).toBeGreaterThan(0.6);
    const others = [TRIVIA, "Translate to German: the meeting is on Thursday.", `${MATH} `.repeat(60)];
    expect(others.map(isKnown)).toEqual([false, false, false]);
  });

  test("labels and mean scores are shown by kind", () => {
    const learned = new LearnedModels();
    told(learned, STRONG, 0.5, 10);
    expect(learned.views()).toMatchObject([
      { model: "Acme#strong", labels: 10, categories: { coding: { score: 0.5 } } },
    ]);
  });

  test("longer answers than predicted count as more expensive", () => {
    const learned = new LearnedModels();
    for (let time = 0; time < 30; time++)
      learned.foldLength(foretold(CODE), MIDDLE.id, foretold(CODE).outputTokens * 3);
    const costOf = (state: LearnedModels) =>
      choose(fair, makeInput(asking(CODE), { learned: state })).candidates.find(
        ({ card }) => card.id === MIDDLE.id,
      )?.costUsd ?? 0;
    expect(costOf(learned)).toBeGreaterThan(costOf(new LearnedModels()) * 1.5);
  });
});

describe("the shipped parameters", () => {
  test("make the same pick for paraphrased prompts", () => {
    const input = { ...makeInput(asking("")), cards: loadShippedCards() };
    const changes = Object.values(PARAPHRASES);
    const same = PROMPTS.flatMap((prompt) => {
      const usual = choose(best, { ...input, request: asking(prompt) }).choice?.id;
      return changes.map(
        (change) => choose(best, { ...input, request: asking(change(prompt, 1)) }).choice?.id === usual,
      );
    });
    expect(same.filter(Boolean).length / same.length).toBeGreaterThanOrEqual(0.9);
  });

  test("have the promised size", () => {
    const file = Bun.file(new URL("../../src/selectors/text/parameters.data.json", import.meta.url));
    expect(file.size).toBeLessThan(2_400_000);
    expect(loadShippedParameters().words).toBeGreaterThan(1000);
  });

  test.skipIf(!existsSync(DATA) || process.env.POUNDKEY_TRAIN === undefined)(
    "are reproduced by training, byte for byte",
    async () => {
      const file = Bun.file(new URL("../../src/selectors/text/parameters.data.json", import.meta.url));
      expect(`${JSON.stringify(train(), null, 1)}\n`).toBe(await file.text());
    },
    120_000,
  );
});
