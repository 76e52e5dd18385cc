// An answer as Gemini's response: candidates, their parts, finish and usage.
import { asObject, type JsonObject } from "../../core/json.ts";
import { JsonBudget } from "../../core/json-bounds.ts";
import type { Sealer } from "../../core/world.ts";
import { chooseWord, type FinishWords } from "../../operations/chat/finish.ts";
import type {
  ChatReply,
  Finish,
  FinishReason,
  ReasoningDetail,
  ReplyChoice,
  ToolCall,
  Usage,
} from "../../operations/chat/form.ts";
import { listTurn, readText, writeTurn } from "../../operations/chat/turn.ts";
import { readCallInput } from "../close-json.ts";
import { writeCost } from "../cost.ts";
import { GEMINI_FORMAT } from "../signature.ts";
import type { Stamp } from "../surface.ts";
import { writeGrounding } from "./grounding.ts";
import { writeSignature } from "./signature.ts";

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** Google's other reasons (Gemini API, `FinishReason`). */
const BLOCKS = [
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MODEL_ARMOR",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
];
const WORDS: FinishWords = Object.fromEntries(
  BLOCKS.map((word) => [word, { means: "content_filter", word }] as const),
);

export function writeFinish(finish: Finish): string {
  return chooseWord(finish, FINISH, WORDS);
}

/** `candidatesTokenCount` excludes thinking. */
export function writeUsage(usage: Usage): JsonObject {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const thoughts = usage.completion_tokens_details?.reasoning_tokens;
  return {
    promptTokenCount: usage.prompt_tokens,
    candidatesTokenCount: Math.max(0, usage.completion_tokens - (thoughts ?? 0)),
    totalTokenCount: usage.total_tokens,
    ...(cached ? { cachedContentTokenCount: cached } : {}),
    ...(thoughts ? { thoughtsTokenCount: thoughts } : {}),
    ...writeCost(usage),
  };
}

/** Returns the provider's own response with our id, the card's name and, if known, the cost. */
export function stampVerbatim(
  response: JsonObject,
  stamp: Stamp,
  usage: Usage | null | undefined,
): JsonObject {
  const own = usage ? { usageMetadata: { ...asObject(response.usageMetadata), ...writeCost(usage) } } : {};
  return { ...response, ...own, modelVersion: stamp.model, responseId: stamp.id };
}

export function writeAnswer(reply: ChatReply, stamp: Stamp, seal: Sealer): JsonObject {
  if (reply.verbatim) return stampVerbatim(reply.verbatim, stamp, reply.usage);
  const json = new JsonBudget();
  return {
    candidates: reply.choices.map((choice) => ({
      content: { role: "model", parts: writeParts(choice, seal, json) },
      finishReason: writeFinish(choice),
      index: choice.index,
      ...writeGrounding(
        choice.message.content ?? "",
        choice.message.annotations ?? [],
        choice.message.web_searches ?? [],
      ),
    })),
    ...(reply.usage ? { usageMetadata: writeUsage(reply.usage) } : {}),
    modelVersion: stamp.model,
    responseId: stamp.id,
  };
}

function writeParts({ message }: ReplyChoice, seal: Sealer, json: JsonBudget): readonly JsonObject[] {
  const parts = writeTurn<JsonObject>(listTurn(message), {
    thinking: ({ text, details }) => [writeThought(text, details, seal)].filter((one) => one !== null),
    text: (part) => (readText(part) === "" ? [] : [{ text: readText(part) }]),
    call: (call) => [writeCall(call, json)],
  });
  return parts.length > 0 ? parts : [{ text: "" }];
}

function writeCall(call: ToolCall, json: JsonBudget): JsonObject {
  const isCustom = call.type === "custom";
  const { id, extra_content: extra } = call;
  const args = isCustom ? { input: call.custom.input } : readArguments(call.function.arguments, json);
  const { name } = isCustom ? call.custom : call.function;
  return { functionCall: { id, name, args }, ...signatureOfCall(extra) };
}

/** Null if there is nothing to show or to send back. */
export function writeThought(
  text: string,
  details: readonly ReasoningDetail[],
  seal: Sealer,
): JsonObject | null {
  if (text === "" && details.length === 0) return null;
  if (details.length === 0) return { text, thought: true };
  const isOwn = details.every(({ format }) => format === GEMINI_FORMAT);
  const own = details.findLast(({ signature }) => signature)?.signature;
  if (isOwn) return { text, thought: true, ...(own ? { thoughtSignature: own } : {}) };
  return { text, thought: true, thoughtSignature: writeSignature(seal, text, details) };
}

export function readArguments(text: string, json: JsonBudget): JsonObject {
  return readCallInput(text, json) ?? { input: text };
}

export function signatureOfCall(extra: unknown): JsonObject {
  const signature = asObject(asObject(extra).google).thought_signature;
  return typeof signature === "string" ? { thoughtSignature: signature } : {};
}
