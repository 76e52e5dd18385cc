// Forgets what the selectors have learned, about all models or one.
import { Type } from "@sinclair/typebox";
import { SKILLS } from "../core/skill.ts";
import { closeObject, number, share, text, type View } from "./schema.ts";
import type { AdminWorld } from "./world.ts";

export const lessonsQuery = closeObject({ model: Type.Optional(text) });
export const forgottenSchema = Type.Object({
  forgotten: Type.Union([text, Type.Null()], { description: "The model. Null means all models." }),
});

const scored = Type.Object({ labels: number, score: share });

/** The selectors' knowledge about a model. */
export const learnedSchema = Type.Object({
  model: text,
  labels: number,
  categories: Type.Object(Object.fromEntries(SKILLS.map((skill) => [skill, Type.Optional(scored)]))),
  length: Type.Number({ description: "The length of its answers, relative to the predicted length." }),
});
export type LearnedView = View<typeof learnedSchema>;

/** Running gateways forget it within a few seconds. */
export async function forgetLessons(
  { store, clock }: Pick<AdminWorld, "store" | "clock">,
  model: string | null,
): Promise<View<typeof forgottenSchema>> {
  await store.forgetLessons(model ?? undefined);
  await store.setSetting("lessons_forgotten", String(clock.nowMs()));
  return { forgotten: model };
}
