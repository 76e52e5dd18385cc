// An answer as Gemini's response: candidates, their parts, finish and usage.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
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
import { isUsualEnd, readCallInput } from "../close-json.ts";
import { writeCost } from "../cost.ts";
import { GEMINI_FORMAT } from "../signature.ts";
import type { Stamp } from "../surface.ts";
import { writeGrounding } from "./grounding.ts";
import { LogprobMean } from "./logprobs.ts";
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

/** `isCut` is true if a call was cut off, and so left out. Of such an end, Google shows no part of the call either. */
export function writeFinish(finish: Finish, isCut: boolean): string {
  return isCut && isUsualEnd(finish) ? "MALFORMED_FUNCTION_CALL" : chooseWord(finish, FINISH, WORDS);
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
    candidates: reply.choices.map((choice) => writeCandidate(choice, seal, json)),
    ...(reply.usage ? { usageMetadata: writeUsage(reply.usage) } : {}),
    modelVersion: stamp.model,
    responseId: stamp.id,
  };
}

function writeCandidate(choice: ReplyChoice, seal: Sealer, json: JsonBudget): JsonObject {
  const { index, message } = choice;
  const mean = new LogprobMean();
  let isCut = false;
  const parts = writeTurn<JsonObject>(listTurn(message), {
    thinking: ({ text, details }) => [writeThought(text, details, seal)].filter((one) => one !== null),
    text: (part) => (readText(part) === "" ? [] : [{ text: readText(part) }]),
    call(call) {
      const written = writeCall(readCall(call), choice, json);
      isCut ||= written === null;
      return written === null ? [] : [written];
    },
  });
  return {
    content: { role: "model", parts: parts.length > 0 ? parts : [{ text: "" }] },
    finishReason: writeFinish(choice, isCut),
    index,
    ...writeGrounding(message.content ?? "", message.annotations ?? [], message.web_searches ?? []),
    ...mean.write(choice.logprobs),
    ...mean.writeMean(),
  };
}

function readCall(call: ToolCall): GivenCall {
  const { id, extra_content: extra } = call;
  const isCustom = call.type === "custom";
  const { name } = isCustom ? call.custom : call.function;
  return { id, name, isCustom, input: isCustom ? call.custom.input : call.function.arguments, extra };
}

/** A call. Its input is JSON unless the tool is custom. */
interface GivenCall {
  readonly id: string;
  readonly name: string;
  readonly isCustom: boolean;
  readonly input: string;
  readonly extra: unknown;
}

/** Returns null for a call that was cut off. Of one without arguments, only the limit can have cut those. */
export function writeCall(call: GivenCall, { finish_reason: reason }: Finish, json: JsonBudget) {
  const { id, name, isCustom, input: text, extra } = call;
  const { input, isCut } = isCustom ? { input: { input: text }, isCut: false } : readCallInput(text, json);
  if (isCut || (reason === "length" && !isCustom && text === "")) return null;
  return { functionCall: { id, name, args: input ?? { input: text } }, ...signatureOfCall(extra) };
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

function signatureOfCall(extra: unknown): JsonObject {
  const signature = asObject(asObject(extra).google).thought_signature;
  return typeof signature === "string" ? { thoughtSignature: signature } : {};
}
