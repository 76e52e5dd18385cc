// The words in which other gateways' clients ask for thinking in chat completions.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";

/** A wish, and the effort that says the same. */
export const WISHES: readonly (readonly [JsonObject, string])[] = [
  [{ reasoning: { effort: "high" } }, "high"],
  [{ reasoning: { effort: "none" } }, "none"],
  [{ reasoning: { enabled: false } }, "none"],
  [{ reasoning: { enabled: true } }, "medium"],
  [{ reasoning: { max_tokens: 2000 } }, "low"],
  [{ reasoning: { max_tokens: 30_000 } }, "high"],
  [{ thinking: { type: "enabled", budget_tokens: 4000 } }, "medium"],
  [{ thinking: { type: "disabled" } }, "none"],
];

/**
 * Returns what a wish should have sent, from what its effort sends. OpenAI's API shows thinking only if it is asked for, which
 * `reasoning` does.
 */
export function expectWish(said: JsonObject, wished: JsonObject): JsonObject {
  const { summary } = asObject(wished.reasoning);
  return summary === undefined ? said : { ...said, reasoning: { ...asObject(said.reasoning), summary } };
}
