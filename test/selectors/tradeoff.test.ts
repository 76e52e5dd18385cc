// The price that `fair` puts on quality: as high as the labels support, and never beyond the champion's cost.
import { describe, expect, test } from "bun:test";
import { LearnedModels } from "../../src/learning/learned.ts";
import { findWeight, type Trial, weighTrials } from "../../src/learning/tradeoff.ts";
import { choose } from "../../src/selectors/choose.ts";
import { keepDecision, replayDecision } from "../../src/selectors/decision.ts";
import { makeFindModel } from "../../src/selectors/expense.ts";
import { fair } from "../../src/selectors/fair.ts";
import { CHAMPION_ONLY } from "../../src/selectors/knowledge.ts";
import { light } from "../../src/selectors/light.ts";
import { scoreByWeight } from "../../src/selectors/saving.ts";
import { asking, even, foretold, makeCard, makeInput } from "./sample-cards.ts";
import { ownPrompts } from "./training/prompts.ts";

function weigh(trials: readonly Trial[]) {
  const slices = weighTrials(trials);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true && value) return value;
  }
}

/** Another model at a tenth of the champion's cost: as good in `equal` of the trials, and worse in the others. */
function trialsOf(count: number, equal: number, tell: (isEqual: boolean) => number): readonly Trial[] {
  return Array.from({ length: count }, (_, at) => {
    const isEqual = at % 100 < equal * 100;
    const other = { told: tell(isEqual), real: isEqual ? 1 : 0, expense: 0.1 };
    return { champion: { told: 0.9, real: 1, expense: 1 }, others: [other] };
  });
}

describe("the weight of cost against quality", () => {
  test("is the highest that keeps the quality share, with a standard error to spare", () => {
    const tradeoff = weigh(trialsOf(1000, 0.9, (isEqual) => (isEqual ? 0.88 : 0.5)));
    const most = findWeight(tradeoff, 0.8) ?? 0;
    const some = findWeight(tradeoff, 0.95) ?? 0;
    expect(some * 0.9).toBeWithin(0.02, 0.4);
    expect(most * 0.9).toBeGreaterThan(0.4);
    const kept = (weight: number) => tradeoff.find((step) => step.weight === weight)?.share;
    expect(kept(some)).toBe(1);
    expect(kept(most)).toBeWithin(0.88, 0.9);
  });

  test("is null if no price keeps the share: only the champion is chosen", () => {
    const tradeoff = weigh(trialsOf(1000, 0.9, () => 0.95));
    expect(findWeight(tradeoff, 0.95)).toBe(CHAMPION_ONLY);
    expect(findWeight(tradeoff, 0.85)).toBeGreaterThan(0);
  });

  test("is unknown with fewer than a hundred labelled prompts", () => {
    expect(findWeight(weigh(trialsOf(99, 1, () => 0.9)), 0.5)).toBeNull();
    expect(findWeight(weigh(trialsOf(100, 1, () => 0.9)), 0.5)).not.toBeNull();
  });
});

test("never prefers a model that costs more than the champion", () => {
  const costAt = (place: number) => (place === 0 ? 1 : 1.01);
  const candidates = {
    quality: Float64Array.of(0.8, 0.9),
    level: Float64Array.of(0.9, 0.5),
    champion: 0,
    costAt,
    latencyAt: () => 1,
    score: new Float64Array(2),
    source: new Uint8Array(2),
    doubtAt: () => 0,
    cardAt: () => makeCard("any"),
  };
  const score = scoreByWeight(candidates, {
    weight: 0,
    reference: 0,
    mayReplace: (place) => costAt(place) <= costAt(0),
    expenseOf: (place) => costAt(place) / costAt(0),
  });
  expect(score(0)).toBeGreaterThan(score(1));
});

describe("with labels", () => {
  const dear = makeCard("dear", 100, { skills: even(0.85) });
  const usual = makeCard("usual", 10, { skills: even(0.85) });
  const cheap = makeCard("cheap", 1, { skills: even(0.85) });
  const cards = [dear, usual, cheap];
  const prompts = ownPrompts(12, 5);
  const isEasy = (topic: string) =>
    !["coding", "debugging", "word_problem", "competition_math"].includes(topic);
  const learned = new LearnedModels();
  // The usual model is best by a little. The expensive one is better where the cheap one fails.
  for (const { prompt, topic } of prompts) {
    const scores = isEasy(topic) ? [0.8, 1, 1] : [1, 0.95, 0.1];
    const marks = cards.map(({ id }, at) => ({ model: id, score: scores[at] ?? 0, expected: 0.85 }));
    learned.put(foretold(prompt).row, { accountId: "", id: prompt, atMs: 0, weight: 1, marks });
  }
  learned.fit({ findModel: makeFindModel(cards, () => 1) });

  test("the cheap model is chosen where it is as good, and never one above the champion's cost", () => {
    const picks = prompts.map(({ prompt, topic }) => {
      const choice = choose(fair, makeInput(asking(prompt), { cards, learned }));
      return {
        name: choice.choice?.name,
        isEasy: isEasy(topic),
        isAlike: choice.asked.ask.costWeight !== null,
      };
    });
    const shareOf = (name: string, isMeant: (pick: (typeof picks)[number]) => boolean) => {
      const own = picks.filter((pick) => pick.isAlike && isMeant(pick));
      return own.filter((pick) => pick.name === name).length / own.length;
    };
    expect(picks.filter(({ isAlike }) => isAlike).length / picks.length).toBeGreaterThan(0.85);
    expect(shareOf("cheap", (pick) => pick.isEasy)).toBeGreaterThan(0.9);
    expect(shareOf("cheap", (pick) => !pick.isEasy)).toBeLessThan(0.2);
    expect(shareOf("dear", () => true)).toBe(0);
  });

  test.each([fair, light])("a decision of $name can be repeated from what was stored", (selector) => {
    for (const { prompt } of prompts.slice(0, 40)) {
      const choice = choose(selector, makeInput(asking(prompt), { cards, learned }));
      const kept: unknown = JSON.parse(JSON.stringify(keepDecision(choice, 0.98)));
      expect(replayDecision(kept)).toEqual({ choice: choice.choice?.id ?? null, same: true });
    }
  });

  test("a fit survives conversion to text", () => {
    const other = new LearnedModels();
    expect(other.unpack(JSON.parse(JSON.stringify(learned.pack())))).toBe(true);
    for (const share of [0.9, 0.98]) {
      expect(other.weightFor("money", share)).toBe(learned.weightFor("money", share));
      expect(other.weightFor("time", share)).toBe(learned.weightFor("time", share));
    }
    expect(other.usualCostUsd).toBe(learned.usualCostUsd);
  });

  test("a fit made with other parameters is used only without labels", () => {
    const others = (known: LearnedModels) => ({ ...known.pack(), parameters: "others" });
    expect(new LearnedModels().unpack(others(learned))).toBe(false);
    const unlabelled = new LearnedModels();
    unlabelled.fit();
    expect(new LearnedModels().unpack(others(unlabelled))).toBe(true);
    // Naming them would load them, in gateways that no selector is asked of too.
    expect(unlabelled.pack()).toMatchObject({ parameters: "" });
  });
});
