// A choice among many models of any kind: the first few are in the same order as if all were sorted.

import { describe, expect, test } from "bun:test";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { CAPABILITIES, type ModelCard } from "../../src/core/models/card.ts";
import { SKILLS, type SkillRow } from "../../src/core/models/skill.ts";
import { UNSTEERED } from "../../src/core/models/steering.ts";
import type { RouterRules } from "../../src/core/settings.ts";
import { planCalls } from "../../src/gateway/plan/plan.ts";
import { Health } from "../../src/health/health.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { findNeeds } from "../../src/operations/chat/needs.ts";
import type { ChooseInput } from "../../src/selectors/ask.ts";
import type { Candidate } from "../../src/selectors/candidate.ts";
import { choose, FIRST_KEPT } from "../../src/selectors/choose.ts";
import { keepDecision } from "../../src/selectors/decision.ts";
import type { CardHealth, HealthView } from "../../src/selectors/expense.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { predict } from "../../src/selectors/text/predictor.ts";
import { describeChat, makeConversation } from "../harness/conversation.ts";
import { IS_LONG } from "../harness/long.ts";
import { makeDice } from "./dice.ts";
import { asking, even, PROMPTS, seeHealth } from "./sample-cards.ts";
import { teachScore } from "./training/teach.ts";

type Roll = () => number;

function oneOf<One>(values: readonly One[], roll: Roll): One {
  const found = values[Math.floor(roll() * values.length)];
  if (found === undefined) throw new Error("There is none.");
  return found;
}

function anySkills(roll: Roll): SkillRow {
  return Object.fromEntries(SKILLS.map((skill) => [skill, 0.3 + roll() * 0.69]));
}

/** Many alike; of one kind except for prices, or skills too; few prices and any kind; any price and kind. */
const VARIETIES = ["alike", "prices", "skills", "kinds", "all"] as const;

function anyCard(number: number, roll: Roll, variety: (typeof VARIETIES)[number]): ModelCard {
  const isPlain = variety !== "kinds" && variety !== "all";
  const areFew = variety === "alike" || variety === "kinds";
  const output = areFew ? oneOf([0.5, 2, 10], roll) : Math.round(roll() * 2000) / 100;
  const price = { input: output / 4, output };
  const times = oneOf([0.01, 3], roll);
  const tiers = [{ aboveTokens: 20, input: price.input * times, output: output * times }];
  return {
    id: `House${number % 5}#model-${Math.floor(roll() * 1e9)}`,
    provider: `House${number % 5}`,
    name: `model-${isPlain ? "x" : oneOf(["8b", "70b", "x"], roll)}`,
    created: isPlain ? 0 : oneOf([0, 0, 1_700_000_000, 1_780_000_000], roll),
    ownedBy: "House",
    contextTokensMax: isPlain ? null : oneOf([null, 40, 1000, 100_000], roll),
    outputTokensMax: null,
    price: isPlain
      ? oneOf([price, price, { ...price, tiers }], roll)
      : oneOf([price, price, { ...price, tiers }, { ...price, cachedInput: 0.01 }, null], roll),
    capabilities: new Set(CAPABILITIES.filter(() => isPlain || roll() < 0.7)),
    listed: isPlain || roll() < 0.8,
    fallbacks: [],
    ...(roll() < (variety === "skills" ? 0.9 : isPlain ? 0 : 0.2)
      ? { skills: oneOf([even(0.9), anySkills(roll)], roll) }
      : {}),
  };
}

function anyRequest(roll: Roll): ChatRequest {
  const tools = [{ type: "function" as const, function: { name: "weather" } }];
  const schema = { type: "json_schema" as const, json_schema: { name: "a", schema: { type: "object" } } };
  return asking(oneOf(PROMPTS, roll), {
    ...(roll() < 0.2 ? { tools } : {}),
    ...(roll() < 0.2 ? { response_format: schema } : {}),
    ...(roll() < 0.4 ? { max_tokens: oneOf([5, 500], roll) } : {}),
    ...(roll() < 0.3 ? { reasoning_effort: oneOf(["none", "low", "high"] as const, roll) } : {}),
  });
}

function anyRules(cards: readonly ModelCard[], roll: Roll): RouterRules {
  const ids = (share: number) => cards.filter(() => roll() < share).map(({ id }) => id);
  const pin = roll() < 0.3 ? Object.fromEntries(SKILLS.map((skill) => [skill, oneOf(cards, roll).id])) : {};
  const rule = () => ({
    category: oneOf(SKILLS, roll),
    shareMin: roll() * 0.6,
    models: roll() < 0.3 ? ids(0.3) : null,
    deny: ids(0.1),
  });
  const rules = Array.from({ length: Math.floor(roll() * 4) }, rule);
  return { fairQuality: 0.98, deny: ids(oneOf([0, 0.05], roll)), pin, rules, explore: 0 };
}

/** No health for some cards, speeds for others, failures for the rest. */
function anyHealth(cards: readonly ModelCard[], roll: Roll): HealthView {
  const share = oneOf([0, 0.1, 0.6, 1], roll);
  const trouble = oneOf([0, 0.2, 1], roll);
  const shut = oneOf([0.5, 1], roll);
  const seen = new Map<string, CardHealth>();
  for (const { id } of cards) {
    if (roll() >= share) continue;
    const isWell = roll() >= trouble;
    seen.set(id, {
      firstTokenMs: roll() < 0.3 ? null : 100 + roll() * 3000,
      tokensPerSecond: roll() < 0.3 ? null : 10 + roll() * 300,
      errorRate: isWell ? 0 : roll() * 0.5,
      isOpen: !isWell && roll() < shut,
    });
  }
  return seeHealth((id) => seen.get(id) ?? null);
}

function anyLearned(cards: readonly ModelCard[], roll: Roll): LearnedModels {
  const learned = new LearnedModels();
  const lessons = oneOf([0, 0, 2, 5], roll);
  for (let lesson = 0; lesson < lessons; lesson++) {
    const prediction = predict(readFeatures(anyRequest(roll)));
    const model = oneOf(cards, roll).id;
    teachScore(learned, prediction, { model, score: roll(), expected: 0.8 });
    if (roll() < 0.5) learned.foldLength(prediction, oneOf(cards, roll).id, 10 + roll() * 4000);
  }
  learned.fit();
  return learned;
}

function anyInput(roll: Roll): ChooseInput {
  const variety = oneOf(VARIETIES, roll);
  const cards = Array.from({ length: 64 + roll() * 250 }, (_, number) => anyCard(number, roll, variety));
  const request = anyRequest(roll);
  const cached = { cardId: oneOf(cards, roll).id, tokens: Math.floor(roll() * 30) };
  return {
    request,
    needs: findNeeds(request),
    cards,
    rules: anyRules(cards, roll),
    quality: oneOf([0, 0.7, 0.98, 1], roll),
    health: anyHealth(cards, roll),
    learned: anyLearned(cards, roll),
    cached: () => (roll() < 0.5 ? cached : null),
  };
}

function highest(candidates: readonly Candidate[], name: "quality" | "level"): number {
  return Math.max(...candidates.map((one) => one[name]));
}

/** The short form has a third of them. */
const countRounds = (rounds: number): number => (IS_LONG ? rounds : Math.ceil(rounds / 3));

describe.each(Object.values(SELECTOR_RULES))("Router#$name among many models", (selector) => {
  test("returns the first few, and those of highest quality and level, in order", () => {
    const roll = makeDice(selector.name.length * 7 + 1);
    let many = 0;
    for (let round = 0; round < countRounds(60); round++) {
      const input = anyInput(roll);
      const { foremost, candidates, choice, pinned, stays } = choose(selector, input);
      const able = candidates.filter(({ eligible }) => eligible);
      const ids = able.map(({ card }) => card.id);
      expect(foremost.slice(0, FIRST_KEPT)).toEqual(able.slice(0, FIRST_KEPT));
      const kept = new Set(foremost.map(({ card }) => card));
      expect(foremost).toEqual(able.filter(({ card }) => kept.has(card)));
      for (const name of ["quality", "level"] as const)
        expect(highest(foremost, name)).toBe(highest(able, name));
      expect(choice?.id).toBe(ids[0]);
      if (pinned !== null) expect(choice?.id).toBe(input.rules.pin[pinned]);
      const byScore = pinned === null && !stays ? able : able.slice(1);
      expect(byScore.map(({ score }) => score)).toEqual(
        byScore.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      if (able.length > FIRST_KEPT) many++;
    }
    expect(many).toBeGreaterThan(countRounds(60) / 2);
  });

  test("doesn't depend on the order of the catalogue", () => {
    const roll = makeDice(selector.name.length);
    for (let round = 0; round < countRounds(20); round++) {
      const cached = { cardId: "", tokens: 0 };
      const input = { ...anyInput(roll), cached: () => cached };
      const kept = (cards: readonly ModelCard[]) =>
        JSON.stringify({
          ...keepDecision(choose(selector, { ...input, cards }), input.quality),
          removed: {},
        });
      expect(kept(input.cards.toReversed())).toBe(kept(input.cards));
    }
  });

  test("chooses for a request as if none had come before it", () => {
    const roll = makeDice(selector.name.length + 5);
    for (let round = 0; round < countRounds(5); round++) {
      const { cards, rules, quality } = anyInput(roll);
      const among = Int32Array.from(cards.keys()).filter(() => roll() < 0.5);
      for (let turn = 0; turn < 30; turn++) {
        const request = anyRequest(roll);
        const asked = { request, needs: findNeeds(request), health: anyHealth(cards, roll) };
        const input = { ...asked, rules, quality, ...(roll() < 0.5 ? { among } : {}) };
        const kept = (list: readonly ModelCard[]) =>
          JSON.stringify(keepDecision(choose(selector, { ...input, cards: list }), quality));
        expect(kept(cards)).toBe(kept([...cards]));
      }
    }
  });

  test("among some of the cards chooses as if there were no others, and never one that isn't for chat", () => {
    const roll = makeDice(selector.name.length + 3);
    for (let round = 0; round < countRounds(20); round++) {
      const input = anyInput(roll);
      const among = Int32Array.from(input.cards.keys()).filter(() => roll() < 0.3);
      const kept = (change: Partial<ChooseInput>) =>
        keepDecision(choose(selector, { ...input, cached: () => null, ...change }), input.quality);
      const alone = kept({ cards: input.cards.filter((_, place) => among.includes(place)) });
      expect(kept({ among })).toEqual(alone);
      const cards = input.cards.map(
        (card, place): ModelCard => ({
          ...card,
          operations: new Set([among.includes(place) ? "chat" : "images"]),
        }),
      );
      expect(kept({ cards })).toEqual(alone);
    }
  });

  test("continues beyond the first if those can't be called", () => {
    const roll = makeDice(5);
    let beyond = 0;
    for (let round = 0; round < countRounds(20); round++) {
      const input: ChooseInput = {
        ...anyInput(roll),
        health: { over: () => () => null },
        cached: () => null,
      };
      const on = oneOf(input.cards, roll).provider;
      const able = choose(selector, input).candidates.filter(({ eligible }) => eligible);
      const places = able.flatMap(({ card }, place) => (card.provider === on ? [place] : [])).slice(0, 4);
      if (places.length === 0) continue;
      if ((places.at(-1) ?? 0) >= FIRST_KEPT) beyond++;
      const plan = planCalls({
        ...describeChat(input.request),
        rules: input.rules,
        steering: { ...UNSTEERED, quality: input.quality },
        readKnown: () => input,
        selection: { kind: "selector", selector, candidates: input.cards },
        credentialsOf: (provider) => (provider === on ? [{ secret: "s", weight: 1 }] : []),
        roll: () => 0,
        conversation: makeConversation("key", input.request),
        nowMs: 0,
        health: new Health(() => {}),
        payer: NOBODY,
      });
      expect(plan.attempts.map(({ card }) => card.id)).toEqual(places.map((at) => able[at]?.card.id ?? ""));
    }
    expect(beyond).toBeGreaterThan(0);
  });
});
