// A selector's choice for one payer, with and without another whose answers are slow or long.
import { expect, test } from "bun:test";
import { namePayer } from "../../src/core/keys/payer.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { Health } from "../../src/health/health.ts";
import { LearnedModels } from "../../src/learning/learned.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { makeDice } from "./dice.ts";
import { asking, CODE, even, foretold, makeCard, makeInput, seeHealth } from "./sample-cards.ts";

const QUICK = makeCard("quick", 1, { skills: even(0.9) });
const CALM = makeCard("calm", 1, { skills: even(0.9) });
const CARDS = [QUICK, CALM];

const keyOf = (accountId: string) => ({ id: "key", accountId, memberId: null });

/** The payer has this many answers of a card, each this long in coming. */
function serve(health: Health, card: typeof QUICK, payer: string, count: number, firstMs: number): void {
  for (let at = 0; at < count; at++) {
    const refusals = new RequestRefusals(keyOf(payer));
    const permit = health.begin({ card, credential: { secret: "s", weight: 1 } }, 0, refusals);
    permit?.recordFirstPart(firstMs);
    permit?.finish(firstMs + 2000, 200);
  }
}

function chooseFor(payer: string, health: Health): string | undefined {
  const seen = seeHealth((id) => health.card(id)?.outlook(10_000, namePayer(keyOf(payer))) ?? null);
  const input = makeInput(asking(CODE), { cards: CARDS, health: seen, payer });
  return choose(SELECTOR_RULES.light, input).choice?.id;
}

test("Router#light chooses for a payer as it did without another's slow answers", () => {
  const health = new Health(() => {});
  serve(health, QUICK, "ann", 10, 200);
  serve(health, CALM, "ann", 10, 2000);
  expect(chooseFor("ann", health)).toBe(QUICK.id);
  serve(health, QUICK, "ben", 40, 9000);
  expect(chooseFor("ann", health)).toBe(QUICK.id);
  expect(chooseFor("ben", health)).toBe(CALM.id);
});

test("Router#light follows a slow-down that several payers meet", () => {
  const health = new Health(() => {});
  serve(health, QUICK, "ann", 1, 200);
  serve(health, CALM, "ann", 10, 2000);
  for (const payer of ["ben", "cat", "dan", "eva"]) serve(health, QUICK, payer, 10, 9000);
  expect(chooseFor("ann", health)).toBe(CALM.id);
});

test("of what the length expected for a payer rests on, another's answers are at most a quarter", () => {
  const learned = new LearnedModels();
  const roll = makeDice(3);
  const usual = foretold(CODE).outputTokens;
  const fold = (payer: string, times: number) =>
    learned.foldLength({ outputTokens: usual }, QUICK.id, usual * times, payer);
  const lengthFor = (payer: string) => learned.lengthsBy(new Map([[QUICK.id, 0]]), payer)(0);
  for (let at = 0; at < 40; at++) fold("ann", 0.8 + roll() * 0.4);
  const alone = lengthFor("ann");
  expect(alone).toBe(learned.lengthOf(QUICK.id));
  for (let at = 0; at < 2000; at++) fold("ben", 7);
  expect(Math.log(lengthFor("ann"))).toBeLessThan(0.75 * Math.log(alone) + 0.25 * Math.log(7) + 1e-9);
  expect(lengthFor("ben")).toBeWithin(5, 7);
});
