// Reads requests for interactions, and folds the events of their streams as clients do.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { INTERACTIONS } from "../../../src/surfaces/interactions/surface.ts";
import type { Exchange, Incoming } from "../../../src/surfaces/surface.ts";
import { incoming } from "../recorded.ts";

export function readInteraction(body: JsonObject, more: Partial<Incoming> = {}): Exchange<ChatForm> {
  return INTERACTIONS.read({ ...incoming({ model: "any", input: "a", ...body }), ...more });
}

/** The events of a stream, without its end mark. */
export function listEvents(text: string): readonly JsonObject[] {
  return text.split("\n").flatMap((line) => {
    const data = line.startsWith("data: ") ? line.slice("data: ".length) : "[DONE]";
    return data === "[DONE]" ? [] : [asObject(JSON.parse(data))];
  });
}

/** The answer that a stream's events add up to. */
export function foldEvents(events: readonly JsonObject[]): JsonObject {
  const steps: JsonObject[] = [];
  let last: JsonObject = {};
  for (const event of events) {
    const index = Number(event.index);
    if (event.event_type === "step.start") steps[index] = { ...asObject(event.step) };
    if (event.event_type === "step.delta") steps[index] = addDelta(steps[index] ?? {}, asObject(event.delta));
    if (event.event_type === "step.stop") steps[index] = closeStep(steps[index] ?? {});
    if (event.event_type === "interaction.completed") last = asObject(event.interaction);
  }
  return { ...last, steps };
}

function addDelta(step: JsonObject, { type, ...delta }: JsonObject): JsonObject {
  const [content = { type: "text", text: "" }] = asArray(step.content).map(asObject);
  switch (type) {
    case "text":
      return { ...step, content: [{ ...content, text: `${content.text}${delta.text}` }] };
    case "text_annotation_delta": {
      const annotations = [...asArray(content.annotations), ...asArray(delta.annotations)];
      return { ...step, content: [{ ...content, annotations }] };
    }
    case "thought_summary": {
      const [before] = asArray(step.summary).map(asObject);
      const text = `${before?.text ?? ""}${asObject(delta.content).text}`;
      return { ...step, summary: [{ type: "text", text }] };
    }
    case "thought_signature":
      return { ...step, signature: delta.signature };
    case "arguments_delta":
      return { ...step, json: `${step.json ?? ""}${delta.arguments}` };
    default:
      return { ...step, ...delta };
  }
}

function closeStep({ json, ...step }: JsonObject): JsonObject {
  return json === undefined ? step : { ...step, arguments: JSON.parse(String(json)) };
}
