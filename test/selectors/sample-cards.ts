// Three cards and their skills, and the way that the selectors' tests choose among them.
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Selector } from "../../src/core/models/selector.ts";
import type { SkillRow } from "../../src/core/models/skill.ts";
import { SKILLS } from "../../src/core/models/skill.ts";
import type { RouterRules } from "../../src/core/settings.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { findNeeds } from "../../src/operations/chat/needs.ts";
import type { ChooseInput } from "../../src/selectors/ask.ts";
import { choose } from "../../src/selectors/choose.ts";
import type { CardHealth, HealthView } from "../../src/selectors/expense.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { readFeatures } from "../../src/selectors/text/features.ts";
import { type Prediction, predict } from "../../src/selectors/text/predictor.ts";
import { makeModelCard } from "../harness/cards.ts";

export const RULES: RouterRules = { fairQuality: 0.98, deny: [], pin: {}, rules: [], explore: 0 };
export const MATH =
  "Janet's ducks lay 16 eggs a day. She eats 3 and sells the others at $2 each. How much does she make?";
export const CODE = "Write a Python function that merges two sorted lists, with unit tests.";
export const TRIVIA = "Which king signed the Magna Carta in 1215?";
export const PROMPTS = [
  MATH,
  CODE,
  TRIVIA,
  "Hi!",
  "Translate to German: the meeting is on Thursday.",
  "请把下面的句子翻译成中文：I am late.",
];

export function makeCard(name: string, output = 1, change: Partial<ModelCard> = {}): ModelCard {
  return makeModelCard(`Acme#${name}`, {
    created: 1_780_000_000,
    contextTokensMax: 8192,
    outputTokensMax: 4096,
    price: { input: output / 5, output },
    capabilities: new Set(["tools", "structured"]),
    ...change,
  });
}

export function even(skill: number): SkillRow {
  return Object.fromEntries(SKILLS.map((name) => [name, skill]));
}

export const STRONG = makeCard("strong", 10, { skills: even(0.9) });
export const MIDDLE = makeCard("middle", 2, { skills: even(0.8) });
export const WEAK = makeCard("weak", 0.2, { skills: even(0.35) });
export const CARDS = [WEAK, STRONG, MIDDLE];

export function asking(prompt: string, change: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "Router#best", messages: [{ role: "user", content: prompt }], ...change };
}

export function makeInput(request: ChatRequest, change: Partial<ChooseInput> = {}): ChooseInput {
  return {
    request,
    needs: findNeeds(request),
    cards: CARDS,
    rules: RULES,
    quality: 0.98,
    ...change,
  };
}

/** Returns the health of cards by id. */
export function seeHealth(of: (id: string) => CardHealth | null): HealthView {
  return {
    over:
      ({ cards }) =>
      (place) =>
        of(cards[place]?.id ?? ""),
  };
}

export function pick(
  selector: Selector,
  request: ChatRequest,
  change: Partial<ChooseInput> = {},
): string | undefined {
  return choose(SELECTOR_RULES[selector], makeInput(request, change)).choice?.id;
}

export function foretold(prompt: string): Prediction {
  return predict(readFeatures(asking(prompt)));
}
