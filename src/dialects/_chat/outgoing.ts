// The common parts of every call to a JSON API with a bearer secret: its headers and its output limit.
import type { ModelCard } from "../../core/card.ts";
import type { Target } from "../../core/dialect.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";

/** `authorization: Bearer …` unless the server needs none, then the operator's own headers, which win. */
export function makeBearerHeaders(target: Target): Record<string, string> {
  const headers: Record<string, string> = {};
  if (target.secret !== null) headers.authorization = `Bearer ${target.secret}`;
  for (const [name, value] of Object.entries(target.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

export interface OutputLimit {
  /** undefined: the client named none. */
  readonly tokens: number | undefined;
  /** The client's fields, when their limit was raised or lowered. */
  readonly changed: readonly string[];
}

/** The client's output limit in tokens, at most what the card allows and at least what the API takes (`floor`). */
export function clampOutputLimit(request: ChatRequest, card: ModelCard, floor: number): OutputLimit {
  const asked = readOutputLimit(request);
  if (asked === undefined) return { tokens: undefined, changed: [] };
  const tokens = Math.max(floor, Math.min(asked, card.outputTokensMax ?? asked));
  if (tokens === asked) return { tokens, changed: [] };
  const fields = ["max_tokens", "max_completion_tokens"];
  return { tokens, changed: fields.filter((field) => request[field] !== undefined) };
}
