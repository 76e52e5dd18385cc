// The answers of each surface, whole and streamed, as a client reads and keeps them.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  type JsonObject,
  parseJson,
} from "../../../../src/core/json/json.ts";
import type { SurfaceKey } from "../../../surfaces/crossing/crossing.ts";
import type { Answer, AnswerPart, Signed } from "./talk.ts";

export function readAnswer(surface: SurfaceKey, text: string, isStreamed: boolean): Answer {
  const events = isStreamed ? readEvents(text) : [asObject(parseJson(text))];
  const given = FOLDS[surface](events, isStreamed);
  return { kind: "answer", surface, given, parts: PARTS[surface](given) };
}

function readEvents(text: string): readonly JsonObject[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => asObject(parseJson(line.slice("data: ".length))));
}

type Fold = (events: readonly JsonObject[], isStreamed: boolean) => readonly JsonObject[];

const FOLDS: Readonly<Record<SurfaceKey, Fold>> = {
  chat(events, isStreamed) {
    const choices = events.flatMap(({ choices }) => asArray(choices).map(asObject));
    if (!isStreamed) return choices.map(({ message }) => asObject(message));
    return [foldMessage(choices.map(({ delta }) => asObject(delta)))];
  },
  messages(events, isStreamed) {
    if (!isStreamed) return asArray(events[0]?.content).map(asObject);
    const blocks: JsonObject[] = [];
    const inputs = new Map<number, string>();
    for (const event of events) {
      const index = asNumber(event.index) ?? 0;
      if (event.type === "content_block_start") blocks[index] = { ...asObject(event.content_block) };
      if (event.type !== "content_block_delta") continue;
      const { type: _type, partial_json: json, ...delta } = asObject(event.delta);
      if (json !== undefined) inputs.set(index, (inputs.get(index) ?? "") + String(json));
      const block = blocks[index] ?? {};
      for (const [field, piece] of Object.entries(delta))
        block[field] = String(block[field] ?? "") + String(piece);
    }
    return blocks.map((block, index) => {
      const input = inputs.get(index);
      return input === undefined ? block : { ...block, input: parseJson(input || "{}") };
    });
  },
  responses(events, isStreamed) {
    const whole = isStreamed
      ? asObject(events.findLast(({ type }) => type === "response.completed")?.response)
      : events[0];
    return asArray(whole?.output).map(asObject);
  },
  gemini(events) {
    const parts = events.flatMap(({ candidates }) =>
      asArray(asObject(asObject(asArray(candidates)[0]).content).parts).map(asObject),
    );
    return [
      {
        role: "model",
        parts: parts.filter((part) => part.text !== "" || part.thoughtSignature !== undefined),
      },
    ];
  },
};

/** Joins the pieces as OpenAI's and OpenRouter's SDKs do. */
function foldMessage(deltas: readonly JsonObject[]): JsonObject {
  const details: JsonObject[] = [];
  const calls: JsonObject[] = [];
  let content = "";
  for (const delta of deltas) {
    content += asString(delta.content) ?? "";
    details.push(...asArray(delta.reasoning_details).map(asObject));
    for (const given of asArray(delta.tool_calls).map(asObject)) {
      const index = asNumber(given.index) ?? 0;
      const { name, arguments: text } = asObject(given.function);
      const before = asObject(calls[index] ?? {});
      const { name: known, arguments: begun = "" } = asObject(before.function ?? {});
      const whole = { name: known ?? name, arguments: `${begun}${text ?? ""}` };
      calls[index] = { id: before.id ?? given.id, type: "function", function: whole };
    }
  }
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

const PARTS: Readonly<Record<SurfaceKey, (given: readonly JsonObject[]) => readonly AnswerPart[]>> = {
  chat([message = {}]) {
    const parts: AnswerPart[] = [];
    if (typeof message.content === "string" && message.content !== "")
      parts.push({ kind: "text", text: message.content });
    for (const call of asArray(message.tool_calls).map(asObject)) {
      const { name, arguments: text } = asObject(call.function);
      parts.push(readCall(call.id, name, parseJson(String(text))));
    }
    const thoughts = joinDetails(asArray(message.reasoning_details).map(asObject));
    for (const [at, { place, thought }] of thoughts.entries())
      parts.splice(Math.min(place ?? at, parts.length), 0, thought);
    return parts;
  },
  messages: (blocks) =>
    blocks.map((block) => {
      if (block.type === "text") return { kind: "text", text: String(block.text) };
      if (block.type === "tool_use") return readCall(block.id, block.name, block.input);
      const id = block.type === "redacted_thinking" ? { id: "redacted" } : {};
      return think(block.thinking, block.signature ?? block.data, "claude", id);
    }),
  responses: (items) =>
    items.map((item) => {
      if (item.type === "message")
        return { kind: "text", text: String(asObject(asArray(item.content)[0]).text) };
      if (item.type === "function_call")
        return readCall(item.call_id, item.name, parseJson(String(item.arguments)));
      const text = asObject(asArray(item.summary)[0]).text;
      const id = String(item.id);
      return think(text, item.encrypted_content, "openai", id.startsWith("rs_pk1") ? {} : { id });
    }),
  gemini: ([content = {}]) =>
    joinThoughts(asArray(content.parts).map(asObject)).map((part) => {
      const { id, name, args } = asObject(part.functionCall);
      if (part.functionCall !== undefined) return readCall(id, name, args);
      if (part.thought !== true) return { kind: "text", text: String(part.text) };
      return think(part.text, Buffer.from(String(part.thoughtSignature), "base64").toString(), "sealed", {});
    }),
};

const readCall = (id: unknown, name: unknown, input: unknown): AnswerPart => ({
  kind: "call",
  call: { id: String(id), name: String(name), input: asObject(input) },
});

const think = (
  text: unknown,
  signature: unknown,
  vendor: Signed,
  about: { readonly id?: string },
): AnswerPart => ({
  kind: "thinking",
  text: asString(text) ?? "",
  signed: String(signature).startsWith("pk1.") ? "sealed" : vendor,
  signature: String(signature),
  ...about,
});

/** Joins the pieces of one thought, and of one text. The last piece of a thought has its signature. */
function joinThoughts(parts: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isSame = last?.thought === part.thought && last?.thoughtSignature === undefined;
    if (last && isSame && typeof last.text === "string" && typeof part.text === "string")
      joined[joined.length - 1] = { ...last, ...part, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

function joinDetails(details: readonly JsonObject[]) {
  const joined = new Map<unknown, { text: string; signature: string; detail: JsonObject }>();
  for (const detail of details) {
    // The phases of messages and what the gateway has said are no thoughts.
    if (detail.phases !== undefined || detail.format === "unknown") continue;
    const key = detail.id ?? detail.index;
    const before = joined.get(key);
    joined.set(key, {
      text: (before?.text ?? "") + (asString(detail.text) ?? asString(detail.summary) ?? ""),
      signature: asString(detail.signature) ?? asString(detail.data) ?? before?.signature ?? "",
      detail: { ...before?.detail, ...detail },
    });
  }
  const thoughts = [...joined.values()];
  return thoughts.map(({ text, signature, detail: { format, id, index, type, behind } }, at) => {
    const isClaude = format === "anthropic-claude-v1";
    const about = isClaude && type === "reasoning.encrypted" ? { id: "redacted" } : { id: asString(id) };
    const thought = think(
      text,
      signature,
      isClaude ? "claude" : "openai",
      about.id === undefined ? {} : { id: about.id },
    );
    // OpenAI's thoughts name what stood before them: here at most one text, and the calls of an answer stand last.
    const isBehindText = behind !== undefined;
    return { place: isClaude ? asNumber(index) : at + (isBehindText ? 1 : 0), thought };
  });
}
