// Models that selectors don't choose by default: previews, models that complete code, and those that are to be shut down.
import { expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { asking, CODE, even, makeCard, makeInput, pick, RULES, TRIVIA } from "./sample-cards.ts";

const usual = makeCard("usual", 10, { skills: even(0.7) });
const preview = makeCard("preview", 1, { skills: even(0.95), kind: "preview" });
const coder = makeCard("coder", 1, { skills: even(0.95), kind: "completion" });
const dying = makeCard("dying", 1, { skills: even(0.95), ending: "soon" });

function findReasons(cards: readonly (typeof usual)[], prompt = TRIVIA) {
  const { candidates } = choose(SELECTOR_RULES.fair, makeInput(asking(prompt), { cards }));
  return Object.fromEntries(candidates.map(({ card, removedBy }) => [card.name, removedBy]));
}

test.each(["best", "fair", "light"] as const)("%s leaves them for the usual model", (selector) => {
  const cards = [usual, preview, coder, dying];
  expect(pick(selector, asking(TRIVIA), { cards })).toBe("Acme#usual");
});

test("the reasons are said", () => {
  expect(findReasons([usual, preview, coder, dying])).toEqual({
    usual: null,
    preview: "preview",
    coder: "completion",
    dying: "deprecated",
  });
});

test("`router.preview` lets previews in, and a pin lets in what it names", () => {
  const cards = [usual, preview];
  const rules = { ...RULES, preview: true };
  expect(pick("best", asking(TRIVIA), { cards, rules })).toBe("Acme#preview");
  const pinned = { ...RULES, pin: { knowledge: "Acme#preview" } };
  expect(pick("best", asking(TRIVIA), { cards, rules: pinned })).toBe("Acme#preview");
});

test("a model that completes code is chosen for code", () => {
  expect(findReasons([usual, coder], CODE).coder).toBeNull();
});

test("without another model, all but previews are chosen", () => {
  const only = (card: typeof usual) => pick("best", asking(TRIVIA), { cards: [card] });
  expect([only(dying), only(coder), only(preview)]).toEqual(["Acme#dying", "Acme#coder", undefined]);
});

test("the catalogue knows them", () => {
  const cards = loadShippedCards();
  const isChat = (card: (typeof cards)[number]) => card.operations?.has("chat") ?? true;
  const named = cards.filter((card) => isChat(card) && /preview|codestral/.test(card.name));
  expect(named.length).toBeGreaterThan(9);
  expect(named.filter(({ kind }) => kind === undefined)).toEqual([]);
  expect(cards.filter(({ shutdownDate }) => shutdownDate !== undefined).length).toBeGreaterThan(15);
});
