// Reads Responses requests for the tests: returns the resulting exchange, or the Fault that refuses it.
import { expect } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import { signThinking } from "../../../src/surfaces/signature.ts";
import { incoming, PLAIN_SEALER } from "../recorded.ts";

export const SEALED = signThinking(PLAIN_SEALER, "hm", [
  { type: "reasoning.text", text: "hm", signature: "s", format: "anthropic-claude-v1", index: 0 },
]);
export const FUNCTION = { type: "function", name: "look", parameters: { type: "object" }, strict: true };
export const LOOK = {
  type: "function",
  function: { name: "look", parameters: { type: "object" }, strict: true },
};

export function readRequest(body: JsonObject, headers: Record<string, string> = {}) {
  return OPENAI_RESPONSES.read(incoming({ model: "m", ...body }, "/v1/responses", headers));
}

/** The Fault that refuses the body. */
export function findRefusal(body: JsonObject): Fault {
  try {
    readRequest(body);
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

export interface Row {
  readonly name: string;
  readonly body: JsonObject;
  /** Fields of the chat request. */
  readonly ask: JsonObject;
  readonly lost?: readonly string[];
}

export const makeCall = (fields: JsonObject) => ({
  type: "function_call",
  call_id: "c1",
  name: "look",
  ...fields,
});
export const MADE_CALL = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };

export function expectRow({ body, ask, lost = [] }: Row): void {
  const exchange = readRequest(body);
  const seen = Object.fromEntries(Object.keys(ask).map((field) => [field, exchange.ask[field]]));
  expect(seen).toEqual(ask);
  expect(exchange.lost).toEqual([...lost]);
}
