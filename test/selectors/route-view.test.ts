// A selector's choice as the operator and a key see it.
import { expect, test } from "bun:test";
import { LearnedModels } from "../../src/learning/learned.ts";
import { choose } from "../../src/selectors/choose.ts";
import { fair } from "../../src/selectors/fair.ts";
import { viewRoute, viewRouteForKey } from "../../src/selectors/route-view.ts";
import { asking, CARDS, CODE, foretold, makeInput, PROMPTS } from "./sample-cards.ts";
import { teach } from "./training/teach.ts";

test("a key is shown the topics of labelled prompts, but not how many there are", () => {
  const learned = new LearnedModels();
  for (const prompt of PROMPTS)
    for (const card of CARDS) teach(learned, { card, prediction: foretold(prompt), score: 1, weight: 1 });
  learned.fit();
  const choice = choose(fair, makeInput(asking(CODE), { learned }));
  const { labelled } = viewRoute(choice).basis;
  expect(labelled.some(({ prompts }) => prompts > 0)).toBe(true);
  expect(viewRouteForKey(choice, () => true).basis.labelled).toEqual(
    labelled.map(({ topic, share }) => ({ topic, share })),
  );
});
