// The port of selectors: a new rule passes through plan, log and replay like the shipped ones.

import { expect, test } from "bun:test";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { planCalls } from "../../src/gateway/plan/plan.ts";
import { Health } from "../../src/health/health.ts";
import { replayDecision } from "../../src/selectors/decision.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import type { SelectorRule } from "../../src/selectors/selector.ts";
import { describeChat, makeConversation } from "../harness/conversation.ts";
import { asking, CARDS, even, makeCard, RULES, TRIVIA } from "./sample-cards.ts";

/** The cheapest model, whatever its quality. */
const thrift: SelectorRule = {
  name: "thrift",
  about: "Picks the least costly model.",
  findPromisedShare: () => 1,
  saves: "cost",
  rank: ({ costAt }) => ({ scoreOf: (place) => -costAt(place), marks: [] }),
  canReplace: () => true,
};

function planBy(selector: SelectorRule, explore = 0) {
  return planCalls({
    ...describeChat(asking(TRIVIA)),
    selection: {
      kind: "selector",
      selector,
      candidates: [...CARDS, TWIN, makeCard("free", 0, { price: null })],
    },
    rules: { ...RULES, explore },
    roll: () => 0,
    conversation: makeConversation("key", asking(TRIVIA)),
    nowMs: 0,
    credentialsOf: () => [{ secret: "s", weight: 1 }],
    health: new Health(() => {}),
    payer: NOBODY,
  });
}

const TWIN = makeCard("twin", 0.3, { skills: even(0.1) });

test("a fourth selector is a rule: it orders the plan, is logged by name, and can be replayed", () => {
  const { attempts, decision } = planBy(thrift);
  expect(attempts.map(({ card }) => card.name)).toEqual(["weak", "twin", "middle", "strong"]);
  expect(decision).toMatchObject({ selector: "thrift", choice: "Acme#weak", removed: { unpriced: 1 } });
  const kept: unknown = JSON.parse(JSON.stringify(decision));
  expect(replayDecision(kept, [thrift])).toEqual({ choice: "Acme#weak", same: true });
  expect(replayDecision(kept, [SELECTOR_RULES.best, { ...thrift, rank: SELECTOR_RULES.best.rank }])).toEqual({
    choice: "Acme#strong",
    same: false,
  });
  expect(replayDecision(kept)).toBeNull();
});

test("it decides itself which models may be explored", () => {
  expect(planBy(thrift, 1).decision).toMatchObject({ choice: "Acme#twin", instead_of: "Acme#weak" });
  const strict: SelectorRule = { ...thrift, canReplace: () => false };
  expect(planBy(strict, 1).decision).toMatchObject({ choice: "Acme#weak", instead_of: null });
});
