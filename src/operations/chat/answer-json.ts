// A provider's JSON before it is parsed: within bounds, or no answer at all.

import { parseJson } from "../../core/json.ts";
import { type JsonShape, measureShape } from "../../core/json-shape.ts";
import { garbled } from "../../core/upstream.ts";
import type { ChatRequest } from "./form.ts";

/** To parse 100,000 fields of different names takes 30 ms, 700,000 of them over a second. */
const PLAIN: JsonShape = { depth: 100, elements: 100_000 };
/** For requests with log probabilities: a whole answer of 1,700 tokens with 20 alternatives each. */
const WITH_LOGPROBS: JsonShape = { depth: 100, elements: 250_000 };
/** A text no longer than this is parsed and written within a millisecond, whatever its structure. */
const CHARACTERS_UNCHECKED = 4096;

/** Throws where a text holds more structure than an answer to this request has. */
export function refuseIntricate(text: string, request: ChatRequest): void {
  if (text.length <= CHARACTERS_UNCHECKED) return;
  const most = request.logprobs === true ? WITH_LOGPROBS : PLAIN;
  const { depth, elements } = measureShape(text, most);
  if (depth > most.depth) throw garbled(`JSON nested deeper than ${most.depth} levels`);
  if (elements > most.elements) throw garbled(`JSON of more than ${most.elements} elements`);
}

/** A whole answer's JSON. Throws where it is none, or beyond bounds. */
export function parseAnswer(text: string, request: ChatRequest): unknown {
  refuseIntricate(text, request);
  const body = parseJson(text);
  if (body === undefined) throw garbled("the answer is not JSON");
  return body;
}
