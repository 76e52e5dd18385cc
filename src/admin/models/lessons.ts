// Reads the lessons of the selectors, and forgets what they have learned, about all models or one.
import { Type } from "@sinclair/typebox";
import type { Lesson } from "../../core/models/learned/lesson.ts";
import { SKILLS } from "../../core/models/skill.ts";
import type { Store } from "../../core/store.ts";
import { closeObject, number, share, text, type View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";

export const lessonsQuery = closeObject({ model: Type.Optional(text) });
export const forgottenSchema = Type.Object({
  forgotten: Type.Union([text, Type.Null()], { description: "The model. Null means all models." }),
});

const scored = Type.Object({ labels: number, score: share });

/** The selectors' knowledge about a model. */
export const learnedSchema = Type.Object({
  model: text,
  labels: number,
  as_of: Type.Union([text, Type.Null()], { description: "The day of the newest score." }),
  changed: Type.Union([Type.Object({ on: text, before: share, after: share }), Type.Null()], {
    description:
      "The day since which its scores are worse or better, and the mean scores before and after. Older ones count a tenth.",
  }),
  categories: Type.Object(Object.fromEntries(SKILLS.map((skill) => [skill, Type.Optional(scored)]))),
  length: Type.Number({ description: "The length of its answers, relative to the predicted length." }),
});
export type LearnedView = View<typeof learnedSchema>;

/** Running gateways forget it within a few seconds. */
export async function forgetLessons(
  { store, changes, clock }: Pick<ActingWorld, "store" | "changes" | "clock">,
  model: string | null,
): Promise<View<typeof forgottenSchema>> {
  await changes.forgetLessons(model ?? undefined);
  await store.setSetting("lessons_forgotten", String(clock.nowMs()));
  return { forgotten: model };
}

/** The size of a page. Reading a prompt's labels takes about 30 µs, during which no request is served. */
export const LESSONS_AT_ONCE = 25;

/** Reads lessons page by page from a time on, oldest first. Some at a page boundary come twice. */
export async function* readLessons(
  store: Pick<Store, "lessons">,
  fromMs: number,
  atOnce: number,
): AsyncGenerator<readonly Lesson[]> {
  let beginMs = fromMs;
  let most = atOnce;
  for (;;) {
    const lessons = await store.lessons(beginMs, most);
    yield lessons;
    if (lessons.length < most) return;
    const lastMs = lessons.at(-1)?.atMs ?? beginMs;
    // The next page begins at this one's last timestamp, so a page with only one timestamp must be extended.
    if (lastMs === beginMs) most *= 2;
    beginMs = lastMs;
  }
}
