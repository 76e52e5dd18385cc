// Texts as OpenAI's APIs take them: one text or the ids of its tokens, or a list of either.
import { asArray } from "../core/json.ts";

export function listTextInputs(given: unknown): readonly unknown[] {
  const list = asArray(given);
  return typeof given === "string" || typeof list[0] === "number" ? [given] : list;
}
