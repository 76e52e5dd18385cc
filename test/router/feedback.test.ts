// Feedback on one model per prompt: one lying key changes few picks, and all keys together change them.
import { expect, test } from "bun:test";
import { even, makeCard } from "./sample-cards.ts";
import { findPrompt, learnFrom, measureShare } from "./taught.ts";

const strong = makeCard("strong", 10, { skills: even(0.85) });
const cards = [strong, makeCard("weak", 1, { skills: even(0.7) })];
const KEYS = 5;

/** Each key scores 60 answers of the strong model, all but the first honestly. Returns the share for `name`. */
function measureAfter(name: string, score: (at: number) => number): number {
  const learned = learnFrom(cards, 60 * KEYS, (at) => {
    const own = at % KEYS === 0 ? 0 : score(at);
    const marks = [{ model: strong.id, score: own, expected: 0.85 }];
    return { prompt: findPrompt(at).prompt, marks, keyId: `key ${at % KEYS}` };
  });
  return measureShare(name, cards, learned);
}

test("one key in five that always scores the champion 0 changes few picks", () => {
  expect(measureAfter("strong", (at) => (at % 20 < 17 ? 1 : 0))).toBeGreaterThan(0.75);
});

test("all keys together can replace a champion that fails them", () => {
  expect(measureAfter("weak", () => 0)).toBeGreaterThan(0.9);
});
