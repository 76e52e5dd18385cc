// Learning from scores of our own prompts, and the share of prompts for which a model is chosen afterwards.
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { LessonMark } from "../../../src/core/models/learned/lesson.ts";
import { LearnedModels } from "../../../src/learning/learned.ts";
import { best } from "../../../src/selectors/best.ts";
import { choose } from "../../../src/selectors/choose.ts";
import { makeFindModel } from "../../../src/selectors/expense.ts";
import { asking, foretold, makeInput } from "../sample-cards.ts";
import { ownPrompts } from "./prompts.ts";

export const PROMPTS = ownPrompts(12, 5);
/** A large stride, because neighbours in the list are of one kind. */
const STRIDE = 89;

interface Taught {
  readonly prompt: string;
  readonly marks: readonly LessonMark[];
  /** Missing for an operator's label. */
  readonly keyId?: string;
  readonly accountId?: string;
}

/** Returns the prompt at a place in the teaching order. */
export function findPrompt(at: number) {
  return PROMPTS[(at * STRIDE) % PROMPTS.length] ?? { prompt: "", topic: "" };
}

/** Learns from this many scored prompts. */
export function learnFrom(
  cards: readonly ModelCard[],
  count: number,
  teach: (at: number) => Taught,
  choosable: readonly ModelCard[] = [],
): LearnedModels {
  const learned = new LearnedModels();
  for (let at = 0; at < count; at++) {
    const { prompt, ...scored } = teach(at);
    learned.put(foretold(prompt).row, { accountId: "", id: String(at), atMs: 0, weight: 1, ...scored });
  }
  learned.fit({ findModel: makeFindModel(cards, () => 1), choosable });
  return learned;
}

/** The share of the prompts for which `best` chooses the model, 0…1. */
export function measureShare(name: string, cards: readonly ModelCard[], learned: LearnedModels): number {
  const picks = PROMPTS.map(
    ({ prompt }) => choose(best, makeInput(asking(prompt), { cards, learned })).choice,
  );
  return picks.filter((card) => card?.name === name).length / picks.length;
}
