// Feedback of one model a prompt: a key that lies moves few picks, and all keys together move them.
import { expect, test } from "bun:test";
import { best } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { makeFindModel } from "../../src/selectors/expense.ts";
import { Learned } from "../../src/selectors/learning/learned.ts";
import { ownPrompts } from "./prompts.ts";
import { asking, even, foretold, makeCard, makeInput } from "./sample-cards.ts";

const strong = makeCard("strong", 10, { skills: even(0.85) });
const weak = makeCard("weak", 1, { skills: even(0.7) });
const cards = [strong, weak];
const prompts = ownPrompts(12, 5);

/** Keys score the strong one's answers, 60 each; those of the first one are its own affair. */
function learnFrom(keys: number, scoreOfFirst: number, score: (at: number) => number): Learned {
  const learned = new Learned();
  for (let at = 0; at < 60 * keys; at++) {
    const { prompt = "" } = prompts[(at * 89) % prompts.length] ?? {};
    const isFirst = at % keys === 0;
    const own = isFirst ? scoreOfFirst : score(at);
    const marks = [{ model: strong.id, score: own, expected: 0.85 }];
    const about = { accountId: "", id: String(at), atMs: 0, keyId: `key ${at % keys}`, weight: 1 };
    learned.put(foretold(prompt).row, { ...about, marks });
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

test("one key of five that scores the champion 0, whatever it answers, moves few picks", () => {
  const honest = (at: number) => (at % 20 < 17 ? 1 : 0);
  expect(shareOf("strong", learnFrom(5, 0, honest))).toBeGreaterThan(0.75);
});

test("all keys together do: the champion that fails them all is left", () => {
  expect(
    shareOf(
      "weak",
      learnFrom(5, 0, () => 0),
    ),
  ).toBeGreaterThan(0.9);
});
