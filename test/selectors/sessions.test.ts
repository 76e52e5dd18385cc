// A conversation stays with its model while that one serves. Otherwise its cached prompt and its thinking are lost.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { CachedPrefix } from "../../src/core/attempt.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { choose } from "../../src/selectors/choose.ts";
import { keepDecision, replayDecision } from "../../src/selectors/decision.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { asking, CODE, even, MATH, makeCard, makeInput, TRIVIA } from "./sample-cards.ts";
import { runSession } from "./sessions.ts";

const coder = makeCard("coder", 10, { skills: { ...even(0.7), coding: 0.99 }, contextTokensMax: null });
const sage = makeCard("sage", 12, { skills: { ...even(0.8), coding: 0.5 }, contextTokensMax: null });
const cards = [coder, sage];

function turnsOf(count: number, last: string, size = 20_000): readonly ChatMessage[] {
  const turn = (at: number): readonly ChatMessage[] => [
    { role: "user", content: `${at} ${"x ".repeat(size / 2)}` },
    { role: "assistant", content: "Done." },
  ];
  return [...Array.from({ length: count }, (_, at) => turn(at)).flat(), { role: "user", content: last }];
}

function decide(
  selector: "best" | "fair" | "light",
  messages: readonly ChatMessage[],
  cached: CachedPrefix | null,
  among = cards,
) {
  const request = { ...asking(""), messages: [...messages] };
  return choose(SELECTOR_RULES[selector], makeInput(request, { cards: among, cached: () => cached }));
}

describe("the model of the last turn", () => {
  const held = { cardId: sage.id, tokens: 5000 };

  test("is kept, whatever the next turn is about", () => {
    expect(choose(SELECTOR_RULES.best, makeInput(asking(CODE), { cards })).choice?.name).toBe("coder");
    for (const last of [CODE, MATH, TRIVIA]) {
      const choice = decide("best", turnsOf(3, last), held);
      expect([choice.choice?.name, choice.stays?.because]).toEqual(["sage", "cache"]);
      const kept: unknown = JSON.parse(JSON.stringify(keepDecision(choice, 0.98)));
      expect(replayDecision(kept)).toEqual({ choice: sage.id, same: true });
    }
  });

  test("is dropped if too little of the prompt is cached, or if it can't serve", () => {
    const little = decide("best", turnsOf(1, CODE, 100), { ...held, tokens: 0 });
    expect([little.choice?.name, little.stays]).toEqual(["coder", null]);
    const gone = decide("best", turnsOf(3, CODE), held, [coder]);
    expect([gone.choice?.name, gone.stays]).toEqual(["coder", null]);
  });

  test("is dropped by `fair` for one so much cheaper that the lost cache is won back", () => {
    const price = { input: 10, output: 10, cachedInput: 1 };
    const usual = makeCard("usual", 10, { skills: even(0.8), price, contextTokensMax: null });
    const [cheaper, cheap] = [4, 0.5].map((input) =>
      makeCard("other", 1, { skills: even(0.8), price: { input, output: 1 }, contextTokensMax: null }),
    );
    const holding = { cardId: usual.id, tokens: 28_000 };
    const pick = (selector: "best" | "fair", turns: number, other = usual) =>
      decide(selector, turnsOf(turns, CODE), holding, [usual, other]).choice?.name;
    expect(pick("fair", 6, cheaper)).toBe("usual");
    expect(pick("fair", 6, cheap)).toBe("other");
    expect(pick("best", 6, cheap)).toBe("usual");
    // It codes better, which was the last task, but does everything else worse.
    const skills = { ...even(0.7), coding: 0.99 };
    const coding = makeCard("other", 1, { skills, price: { input: 0.5, output: 1 }, contextTokensMax: null });
    expect(pick("fair", 1, coding)).toBe("usual");
    expect(pick("fair", 6, coding)).toBe("usual");
  });
});

test("is kept over simulated agent sessions, where `fair` costs no more than the champion", () => {
  const among = loadShippedCards().filter(({ contextTokensMax }) => (contextTokensMax ?? 0) >= 400_000);
  for (const seed of [1, 2, 3]) {
    for (const selector of ["best", "fair", "light"] as const) {
      const { chosenUsd, championUsd, changes } = runSession(selector, seed, { cards: among });
      expect(changes).toBe(0);
      if (selector === "fair") expect(chosenUsd).toBeLessThanOrEqual(championUsd);
    }
  }
});
