// The events of a stream, each with its name in its data again.
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { namedEvent } from "../event-stream.ts";

/** An event's name and its other fields. */
export type InteractionEvent = readonly [name: string, fields: JsonObject];

export function writeEvent([name, fields]: InteractionEvent): string {
  return namedEvent(name, JSON.stringify({ event_type: name, ...fields }));
}

export const DONE = namedEvent("done", "[DONE]");

/** A step's first event tells no more than what every piece of it needs. */
export function startStep(index: number, { type, id, name }: JsonObject): InteractionEvent {
  const step = type === "function_call" ? { type, id, name, arguments: {} } : { type };
  return ["step.start", { index, step }];
}

export function addDelta(index: number, delta: JsonObject): InteractionEvent {
  return ["step.delta", { index, delta }];
}

export function stopStep(index: number): InteractionEvent {
  return ["step.stop", { index }];
}

export function makeCitationEvent(index: number, annotations: readonly JsonObject[]): InteractionEvent {
  return addDelta(index, { type: "text_annotation_delta", annotations });
}

export function makeSummaryEvent(index: number, text: string): InteractionEvent {
  return addDelta(index, { type: "thought_summary", content: { type: "text", text } });
}

export function makeSignatureEvent(index: number, signature: string): InteractionEvent {
  return addDelta(index, { type: "thought_signature", signature });
}

/** Returns the events of a whole step, each of its texts in one piece. */
export function* listStepEvents(index: number, step: JsonObject): Generator<InteractionEvent> {
  yield startStep(index, step);
  switch (step.type) {
    case "model_output":
      for (const content of asArray(step.content)) yield* listTextEvents(index, asObject(content));
      break;
    case "thought":
      for (const one of asArray(step.summary))
        yield makeSummaryEvent(index, asString(asObject(one).text) ?? "");
      if (typeof step.signature === "string") yield makeSignatureEvent(index, step.signature);
      break;
    case "function_call":
      yield addDelta(index, { type: "arguments_delta", arguments: JSON.stringify(step.arguments ?? {}) });
      break;
    default:
      yield addDelta(index, step);
  }
  yield stopStep(index);
}

function* listTextEvents(index: number, { text, annotations }: JsonObject): Generator<InteractionEvent> {
  yield addDelta(index, { type: "text", text: asString(text) ?? "" });
  const cited = asArray(annotations).map(asObject);
  if (cited.length > 0) yield makeCitationEvent(index, cited);
}
