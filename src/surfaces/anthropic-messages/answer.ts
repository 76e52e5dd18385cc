// A whole answer as a message of the Messages API, with the usage and stop reasons that streams share.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { isDocument } from "../../operations/chat/answer/citations.ts";
import { chooseWord, type FinishWords } from "../../operations/chat/finish.ts";
import type {
  ChatReply,
  Citation,
  Finish,
  FinishReason,
  ReasoningDetail,
  ReplyMessage,
  ToolCall,
  Usage,
} from "../../operations/chat/form.ts";
import { listTurn, readText, writeTurn } from "../../operations/chat/turn.ts";
import { endAsCut, readCallInput } from "../close-json.ts";
import { writeCost } from "../cost.ts";
import { ANTHROPIC_FORMAT, signThinking, signTurn } from "../signature.ts";
import type { Stamp } from "../surface.ts";
import { SearchWriter } from "./searches.ts";

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** More stop reasons: Anthropic's own, which Bedrock shares, and other vendors' words for the same. */
const STOP_WORDS: FinishWords = {
  stop_sequence: { means: "stop", word: "stop_sequence" },
  STOP_SEQUENCE: { means: "stop", word: "stop_sequence" }, // Cohere
  pause_turn: { means: "stop", word: "pause_turn" },
  model_context_window_exceeded: { means: "length", word: "model_context_window_exceeded" },
  model_length: { means: "length", word: "model_context_window_exceeded" }, // Mistral
};

/** Returns `stop_reason` and the fields that go with it. */
export function writeStop(finish: Finish, refusal: string | null): JsonObject {
  const { finish_reason: reason, stop_sequence: sequence } = finish;
  const details =
    reason === "content_filter" ? { type: "refusal", category: null, explanation: refusal || null } : null;
  const isStopped = reason === "stop" && sequence !== undefined;
  return {
    stop_reason: isStopped ? "stop_sequence" : chooseWord(finish, STOP_REASONS, STOP_WORDS),
    stop_sequence: isStopped ? sequence : null,
    stop_details: details,
  };
}

/** `input_tokens` excludes cache reads and writes. Some servers report more of those than prompt tokens. */
export function writeUsage(usage: Usage): JsonObject {
  const { prompt_tokens: prompt, prompt_tokens_details: details } = usage;
  const cached = Math.min(prompt, details?.cached_tokens ?? 0);
  const written = Math.min(prompt - cached, details?.cache_write_tokens ?? 0);
  const thinking = usage.completion_tokens_details?.reasoning_tokens;
  const searches = usage.server_tool_use?.web_search_requests;
  return {
    input_tokens: prompt - cached - written,
    output_tokens: usage.completion_tokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    ...(thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: thinking } }),
    ...(searches === undefined ? {} : { server_tool_use: { web_search_requests: searches } }),
    ...writeCost(usage),
  };
}

/** Returns the provider's own message with our id, the card's name and the cost. */
function stampVerbatim(message: JsonObject, stamp: Stamp, usage: Usage | undefined): JsonObject {
  const reported: JsonObject = { ...asObject(message.usage) };
  if (usage?.cost !== undefined) reported.cost = usage.cost;
  if (usage?.charged !== undefined) reported.charged = usage.charged;
  return { ...message, id: stamp.id, model: stamp.model, usage: reported };
}

export function writeMessage(reply: ChatReply, stamp: Stamp, seal: Sealer): JsonObject {
  if (reply.verbatim) return stampVerbatim(reply.verbatim, stamp, reply.usage);
  const [choice] = reply.choices;
  const message = choice?.message;
  const { content, isCut } = message ? writeContent(message, stamp, seal) : { content: [], isCut: false };
  return {
    id: stamp.id,
    type: "message",
    role: "assistant",
    model: stamp.model,
    content,
    ...writeStop(endAsCut(choice ?? { finish_reason: "stop" }, isCut), message?.refusal ?? null),
    usage: writeUsage(reply.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
  };
}

/** `isCut` is true if a call was cut off. Its block holds what there is. */
function writeContent(message: ReplyMessage, { id }: Stamp, seal: Sealer) {
  const json = new JsonBudget();
  let isCut = false;
  const searches = new SearchWriter(id);
  searches.cite(message.annotations ?? []);
  const content = writeTurn<JsonObject>(signTurn(listTurn(message, message.annotations)), {
    thinking: ({ text, details }) => writeThinking(text, details, seal),
    text(part) {
      const text = readText(part);
      const citations = writeCitations(part.annotations);
      return text === "" ? [] : [{ type: "text", text, ...(citations.length > 0 ? { citations } : {}) }];
    },
    call(call) {
      const written = writeCall(call, json);
      isCut ||= written.isCut;
      return [written.block];
    },
    search: (search) => searches.write(search),
  });
  return { content: [...content, ...searches.end()], isCut };
}

/** Returns Anthropic's own thinking unchanged, and any other as one block with its provider's details sealed. */
function writeThinking(
  text: string,
  details: readonly ReasoningDetail[],
  seal: Sealer,
): readonly JsonObject[] {
  if (details.length > 0 && details.every(({ format }) => format === ANTHROPIC_FORMAT)) {
    return details.map((detail) =>
      detail.data === undefined
        ? { type: "thinking", thinking: detail.text ?? "", signature: detail.signature ?? "" }
        : { type: "redacted_thinking", data: detail.data },
    );
  }
  if (text === "" && details.length === 0) return [];
  return [{ type: "thinking", thinking: text, signature: signThinking(seal, text, details) }];
}

function writeCall(call: ToolCall, json: JsonBudget) {
  const { id } = call;
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { block: { type: "tool_use", id, name, input: { input } }, isCut: false };
  }
  const { name, arguments: text } = call.function;
  const { input, isCut } = readCallInput(text, json);
  return { block: { type: "tool_use", id, name, input: input ?? { arguments: text } }, isCut };
}

/**
 * Returns the citations that this API has a form for: pages, and passages of documents numbered in the conversation.
 * A citation applies to the block it is in.
 */
export function writeCitations(citations: readonly Citation[] | undefined): readonly JsonObject[] {
  return (citations ?? []).flatMap(writeCitation);
}

function writeCitation(citation: Citation): readonly JsonObject[] {
  if (!isDocument(citation)) {
    const { url, title, content } = citation.url_citation;
    const type = "web_search_result_location";
    return [{ type, url, title, cited_text: content ?? "", encrypted_index: "" }];
  }
  const { title, content, document_id, document_index, location } = citation.document_citation;
  if (document_index === undefined || location === undefined) return [];
  const { unit, start, end } = location;
  const field = unit === "page" ? "page_number" : `${unit}_index`;
  return [
    {
      type: unit === "block" ? "content_block_location" : `${unit}_location`,
      cited_text: content ?? "",
      document_index,
      document_title: title || null,
      file_id: document_id ?? null,
      [`start_${field}`]: start,
      [`end_${field}`]: end,
    },
  ];
}
