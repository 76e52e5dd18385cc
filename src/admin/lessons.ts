// Forgetting what the selectors have learned, all of it or of one model.
import { optional, readFields, readText } from "./input.ts";
import type { AdminWorld } from "./world.ts";

/** Running gateways forget within a few seconds. */
export async function forgetLessons(
  { store, clock }: Pick<AdminWorld, "store" | "clock">,
  model: string | null,
): Promise<{ readonly forgotten: string | null }> {
  await store.forgetLessons(model ?? undefined);
  await store.setSetting("lessons_forgotten", String(clock.nowMs()));
  return { forgotten: model };
}

/** The model that `?model=` names; null: all. */
export function readModelId(query: unknown): string | null {
  return optional(readFields(query, ["model"]), "model", readText) ?? null;
}
