// Few labels: chance names no other champion, and the champion isn't left before labels bear out that leaving it pays.
import { expect, test } from "bun:test";
import { best } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { makeFindModel } from "../../src/selectors/expense.ts";
import { Learned } from "../../src/selectors/learning/learned.ts";
import { makeDice } from "./dice.ts";
import { ownPrompts } from "./prompts.ts";
import { asking, even, foretold, makeCard, makeInput } from "./sample-cards.ts";

const strong = makeCard("strong", 10, { skills: even(0.85) });
const weak = makeCard("weak", 1, { skills: even(0.75) });
const cards = [strong, weak];
const prompts = ownPrompts(12, 5);

/** The scores of both for the prompt at a place. */
type Score = (topic: string, at: number) => readonly [number, number];

/** Neighbours are of one kind. */
const STRIDE = 89;

/** Learns from so many prompts; beyond those that there are, from shorter ones. */
function learnFrom(count: number, score: Score): Learned {
  const learned = new Learned();
  for (let at = 0; at < count; at++) {
    const { prompt = "", topic = "" } = prompts[(at * STRIDE) % prompts.length] ?? {};
    const asked = prompt.slice(0, prompt.length - Math.floor(at / prompts.length));
    const scores = score(topic, at);
    const marks = cards.map(({ id }, m) => ({
      model: id,
      score: scores[m] ?? 0,
      expected: m === 0 ? 0.85 : 0.75,
    }));
    learned.put(foretold(asked).row, { accountId: "", id: String(at), atMs: 0, weight: 1, marks });
  }
  learned.fit({ findModel: makeFindModel(cards, () => 1) });
  return learned;
}

function shareOf(name: string, learned: Learned): number {
  const picks = prompts.map(
    ({ prompt }) => choose(best, makeInput(asking(prompt), { cards, learned })).choice,
  );
  return picks.filter((card) => card?.name === name).length / picks.length;
}

test("thirty labels by which the weaker is a little ahead leave the champion as it was, and six hundred don't", () => {
  const isLucky: Score = (_, at) => [at % 30 < 24 ? 1 : 0, at % 30 < 25 ? 1 : 0];
  expect(shareOf("strong", learnFrom(30, isLucky))).toBe(1);
  expect(shareOf("weak", learnFrom(600, isLucky))).toBeGreaterThan(0.9);
});

test("scores that are mere chance leave the champion everywhere", () => {
  const roll = makeDice(4);
  const chance: Score = () => [roll() < 0.8 ? 1 : 0, roll() < 0.78 ? 1 : 0];
  expect(shareOf("strong", learnFrom(120, chance))).toBe(1);
});

test("where the other is better at some kinds, the champion is left for these", () => {
  const kinds: Score = (topic) => (["coding", "debugging"].includes(topic) ? [0, 1] : [1, 0.5]);
  const share = shareOf("weak", learnFrom(120, kinds));
  expect(share).toBeWithin(0.01, 0.3);
});
