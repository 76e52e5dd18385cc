// generateContent as Vertex AI carries it: under a publisher's path, with a role in each turn and, before generation 3, no ids of calls.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { findFacts } from "./models.ts";

export function carryVertexGemini(outgoing: Outgoing, card: ModelCard, { baseUrl }: Target): Outgoing {
  // The ranking API has an address of its own.
  if (!outgoing.url.startsWith(baseUrl)) return outgoing;
  const path = outgoing.url.slice(baseUrl.length);
  const { contents } = outgoing.body;
  const body = Array.isArray(contents)
    ? { ...outgoing.body, contents: contents.map((turn) => makeTurn(turn, findFacts(card.name).signed)) }
    : outgoing.body;
  return { ...outgoing, url: `${baseUrl}/publishers/google${path}`, body };
}

/** The Developer API takes a turn without a role for the user's; Vertex AI refuses it. */
function makeTurn(turn: unknown, takesIds: boolean): unknown {
  if (!isObject(turn)) return turn;
  const parts = takesIds ? turn.parts : withoutIds(turn.parts);
  return { ...turn, role: turn.role ?? "user", ...(parts === undefined ? {} : { parts }) };
}

function withoutIds(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts;
  return asArray(parts).map((part) => {
    const { functionCall, functionResponse } = asObject(part);
    if (isObject(functionCall)) return { ...asObject(part), functionCall: withoutId(functionCall) };
    if (isObject(functionResponse))
      return { ...asObject(part), functionResponse: withoutId(functionResponse) };
    return part;
  });
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest;
}
