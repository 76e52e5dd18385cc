// Few labels: chance makes no other model champion, which is left only for a lead beyond chance.
import { expect, test } from "bun:test";
import type { LearnedModels } from "../../src/learning/learned.ts";
import { findTable } from "../../src/selectors/table.ts";
import { makeDice } from "../selectors/dice.ts";
import { even, foretold, makeCard } from "../selectors/sample-cards.ts";
import { average } from "../selectors/training/statistics.ts";
import { findPrompt, learnFrom, measureShare, PROMPTS } from "../selectors/training/taught.ts";

const cards = [makeCard("strong", 10, { skills: even(0.85) }), makeCard("weak", 1, { skills: even(0.75) })];

const CODE = ["coding", "debugging"];

/** Both models' scores for the prompt at a place. */
type Score = (topic: string, at: number) => readonly [number, number];

/** Labels `count` prompts, with shortened copies once all are used. */
function learnScores(count: number, score: Score): LearnedModels {
  return learnFrom(cards, count, (at) => {
    const { prompt, topic } = findPrompt(at);
    const asked = prompt.slice(0, prompt.length - Math.floor(at / PROMPTS.length));
    const scores = score(topic, at);
    const marks = cards.map(({ id }, m) => ({
      model: id,
      score: scores[m] ?? 0,
      expected: m === 0 ? 0.85 : 0.75,
    }));
    return { prompt: asked, marks };
  });
}

/** Returns the share of picks for `name`. */
function measureAfter(name: string, count: number, score: Score): number {
  return measureShare(name, cards, learnScores(count, score));
}

test("thirty labels that slightly favour a weaker model don't replace the champion, but six hundred do", () => {
  const isLucky: Score = (_, at) => [at % 30 < 24 ? 1 : 0, at % 30 < 25 ? 1 : 0];
  expect(measureAfter("strong", 30, isLucky)).toBeGreaterThan(0.97);
  expect(measureAfter("weak", 600, isLucky)).toBeGreaterThan(0.9);
});

test("random scores keep the champion everywhere", () => {
  const roll = makeDice(4);
  const chance: Score = () => [roll() < 0.8 ? 1 : 0, roll() < 0.78 ? 1 : 0];
  expect(measureAfter("strong", 120, chance)).toBe(1);
});

test("the lead that another model needs is as large as chance with few prompts, and hardly any with many", () => {
  const roll = makeDice(5);
  const chance: Score = () => [roll() < 0.8 ? 1 : 0, roll() < 0.78 ? 1 : 0];
  const leadAfter = (count: number) => learnScores(count, chance).margin;
  expect(leadAfter(29)).toBe(0);
  expect(leadAfter(60)).toBeWithin(0.2, 0.6);
  expect(leadAfter(1200)).toBeWithin(0.01, 0.03);
});

test("if another model is better at some kinds, it is used for those", () => {
  const kinds: Score = (topic) => (CODE.includes(topic) ? [0, 1] : [1, 0.5]);
  const share = measureAfter("weak", 120, kinds);
  expect(share).toBeWithin(0.01, 0.3);
});

/** Returns how much more the labels make of the weak model for code than for all else. */
function measureLean(learned: LearnedModels): number {
  const leans = PROMPTS.filter((_, at) => at % 4 === 0).map(({ prompt, topic }) => {
    const { quality } = learned.shiftsBy(findTable(cards).places, foretold(prompt));
    const [strong = 0, weak = 0] = cards.map((_, place) => quality(place));
    return { isCode: CODE.includes(topic), lean: weak - strong };
  });
  const [code, others] = [true, false].map((kind) =>
    average(leans.filter(({ isCode }) => isCode === kind).map(({ lean }) => lean)),
  );
  return (code ?? 0) - (others ?? 0);
}

test("forty noisy labels already say for which kind a model is better", () => {
  const draws = [1, 3].map((seed) => {
    const roll = makeDice(seed);
    const chances = (isCode: boolean) => (isCode ? [0.6, 0.8] : [0.85, 0.75]);
    return measureLean(
      learnScores(40, (topic) => {
        const [strong = 0, weak = 0] = chances(CODE.includes(topic));
        return [roll() < strong ? 1 : 0, roll() < weak ? 1 : 0];
      }),
    );
  });
  expect(Math.min(...draws)).toBeGreaterThan(0.03);
});

test("models with the same outcomes are learned alike", () => {
  const [{ prompt } = { prompt: "" }] = PROMPTS;
  const marks = cards.map(({ id }) => ({ model: id, score: 1, expected: 0.8 }));
  const learned = learnFrom(cards, 1, () => ({ prompt, marks }));
  const { quality } = learned.shiftsBy(findTable(cards).places, foretold(prompt));
  const [strong, weak] = cards.map((_, place) => quality(place));
  expect(strong).toBeWithin(0.001, 0.1);
  expect(weak).toBe(strong);
});
