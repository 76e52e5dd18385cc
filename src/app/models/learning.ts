// Learning in this process: what its store holds, by its clock, for the cards that it serves.
import { LESSONS_AT_ONCE, readLessons } from "../../admin/models/lessons.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Lesson } from "../../core/models/learned/lesson.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Log } from "../../core/world/world.ts";
import type { Snapshot } from "../../http/ports.ts";
import { AnswerLessons } from "../../learning/answer-lessons.ts";
import { LearnedModels } from "../../learning/learned.ts";
import { Learning, type LearningParts, measureLogged } from "../../learning/learning.ts";
import { makeLesson } from "../../learning/lesson.ts";
import type { LearningPort } from "../../learning/port.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { listChoosable } from "../../selectors/rules.ts";
import { readFeatures } from "../../selectors/text/features.ts";
import { predict } from "../../selectors/text/predictor.ts";
import { clock } from "../world.ts";

export type LessonStore = LearningParts["store"] & Pick<Store, "lessons">;

interface LearnerParts extends Pick<LearningParts, "learned" | "cards" | "choosable" | "log"> {
  readonly store: LessonStore;
  /** This machine's if missing. */
  readonly clock?: Pick<Clock, "nowMs">;
}

export function createLearning(parts: LearnerParts): Learning {
  const { nowMs } = parts.clock ?? clock;
  const read = (fromMs: number): AsyncIterable<readonly Lesson[]> =>
    readLessons(parts.store, fromMs, LESSONS_AT_ONCE);
  return new Learning({ ...parts, clock: { ...clock, nowMs }, sleep: Bun.sleep, readLessons: read });
}

/** Learns the lengths of answers from the log. */
export function measureLengths(
  store: Pick<Store, "requests">,
  learned: LearnedModels,
  log: Log,
): Promise<void> {
  return measureLogged(store, learned, log, Bun.sleep);
}

/** Starts with the lessons as they were last fitted, because reading all of them takes a second or more. */
export async function recallLessons(store: Store, snapshot: () => Snapshot, log: Log) {
  const learned = new LearnedModels();
  const cards = () => snapshot().catalogue.list();
  const choosable = () => listChoosable(cards(), snapshot().rules);
  const lessons = createLearning({ store, learned, cards, choosable, log });
  await lessons.recall();
  const answers = new AnswerLessons({ store, learned, clock, log });
  const learning: LearningPort = {
    known: learned,
    learn: (answer) => answers.learn(answer),
    score: (record, card, score) => answers.score(record, card, score),
    whenKnown: () => lessons.whenKnown(),
  };
  return { learned, lessons, learning };
}

/** Stores the operator's scores of answers to one prompt, each model's once. Returns how many are new. */
export function teachLabels(
  store: Pick<Store, "teach">,
  request: ChatRequest,
  scores: readonly { readonly card: ModelCard; readonly score: number }[],
): Promise<number> {
  const kind = predict(readFeatures(request));
  // The time of writing, since gateways read recent lessons only, and writing many labels takes long.
  const about = { accountId: "default", keyId: "", atMs: clock.nowMs(), source: "label", weight: 1 } as const;
  return store.teach(makeLesson({ ...about, id: nameLabels(request) }, kind, scores));
}

/** Returns the id of all labels of answers to one prompt. */
export function nameLabels({ messages }: Pick<ChatRequest, "messages">): string {
  return `label_${Bun.hash.wyhash(JSON.stringify(messages)).toString(36)}`;
}

/** Returns what was learned about each model. `length` is its answers' length, as a ratio of the predicted one. */
export function viewLearned(learned: LearnedModels) {
  return learned
    .views()
    .map((view) => ({ ...view, length: Math.round(learned.lengthOf(view.model) * 1000) / 1000 }));
}
