// Thinking that a provider says it left out of the history: Anthropic's and OpenAI's `input_transformations`.
// https://rubydoc.info/gems/anthropic/Anthropic/Models/Beta/BetaInputTransformation, November 2026
import type { JsonObject } from "../core/json/json.ts";
import type { Exchange } from "./types.ts";

type Removing = Pick<Exchange, "removes">;

/** A block that failed a check, and was shown all the same. */
const ALLOWED = "allowed";

/** Returns the field of a message. Nothing if nothing is to be left out. */
export function renderDroppedThinking({ removes }: Removing): JsonObject {
  if (removes.length === 0) return {};
  const entries = removes.map((reason, at) => ({
    type: reason === ALLOWED ? "thinking_mismatch_allowed" : "thinking_dropped",
    path: `messages.1.content.${at}`,
    reason: `${reason === ALLOWED ? "prefix" : reason}_binding_mismatch`,
  }));
  return { input_transformations: entries };
}

/** Returns the field of a response. */
export function renderRemovedReasoning({ removes, id }: Removing & Pick<Exchange, "id">): JsonObject {
  if (removes.length === 0) return {};
  const entries = removes.map((reason, at) => ({
    id: `rs_${id(`removed ${at}`, 32)}`,
    type: "reasoning",
    action: reason === ALLOWED ? "kept" : "removed",
    reason: reason === "turn_boundary" ? reason : `${reason}_mismatch`,
  }));
  return { input_transformations: entries };
}
