// The canonical form: OpenAI's chat-completion objects (request, reply, chunk), typed, with unknown fields carried
// through.
import type { JsonObject } from "../../core/json/json.ts";
import type { RemovedReasoning } from "../../core/models/thinking/removed-reasoning.ts";
import type { AnswerTerms } from "../../core/money/terms.ts";
import type { SearchOptions, WebSearch } from "./prompt/search-form.ts";

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface TextPart extends JsonObject {
  type: "text";
  text: string;
}
export interface ImagePart extends JsonObject {
  type: "image_url";
  /** `url` is https or a data: URL. It is forwarded, never fetched here. */
  image_url: { url: string; detail?: string };
}
export interface AudioPart extends JsonObject {
  type: "input_audio";
  /** `data` is base64. */
  input_audio: { data: string; format: string };
}
export interface FilePart extends JsonObject {
  type: "file";
  /** `file_data` is a data: URL (or bare base64). Ids of files in a provider's account are refused. */
  file: { file_data: string; filename?: string };
}
/** Only some servers take it (vLLM, OpenRouter, Moonshot, Gemini). */
interface VideoPart extends JsonObject {
  type: "video_url";
  /** `url` is https or a data: URL. It is forwarded, never fetched here. */
  video_url: { url: string };
}
export interface RefusalPart extends JsonObject {
  type: "refusal";
  refusal: string;
}
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | VideoPart | RefusalPart;
export type Content = string | readonly ContentPart[];

export interface FunctionCall extends JsonObject {
  id: string;
  type: "function";
  /** `arguments` is JSON text; a call without arguments is "{}". */
  function: { name: string; arguments: string };
  /** Carries Gemini's signature: `{ google: { thought_signature } }`. */
  extra_content?: JsonObject;
}
interface CustomCall extends JsonObject {
  id: string;
  type: "custom";
  custom: { name: string; input: string };
}
export type ToolCall = FunctionCall | CustomCall;

/** Thinking in OpenRouter's format, with signatures, so that it can be sent back unchanged. */
export interface ReasoningDetail extends JsonObject {
  type: "reasoning.text" | "reasoning.encrypted" | "reasoning.summary";
  text?: string;
  signature?: string;
  data?: string;
  summary?: string;
  id?: string | null;
  /** The format of the signature or data: "anthropic-claude-v1", "google-gemini-v1", "openai-responses-v1" … */
  format?: string;
  index?: number;
  /** True for a signature that the client has from elsewhere, for its family's own API alone. Never sent. */
  is_foreign?: boolean;
}

/** A change of the tools that are offered. `name` is that of one in the request's `tools`. */
export interface ToolChange extends JsonObject {
  type: "added" | "removed";
  name: string;
}
export interface SystemMessage extends JsonObject {
  role: "system" | "developer";
  content: Content;
  name?: string;
  /** Made by the message, in this order. Never sent in the chat form. */
  tool_changes?: readonly ToolChange[];
}
export interface UserMessage extends JsonObject {
  role: "user";
  content: Content;
  name?: string;
}
export type PartKind = "thinking" | "search" | "text" | "call";

/** A part of an assistant's turn: how much of the message's thinking, searches, text or calls belongs to it. */
export interface PartExtent {
  readonly kind: PartKind;
  /** Characters of thinking or text, parts of a content list, searches, or calls. */
  size: number;
  /** The number of thinking details. */
  details: number;
  /** Characters before it that only separate it from an earlier part of the same kind. */
  readonly gap: number;
}

export interface AssistantMessage extends JsonObject {
  role: "assistant";
  content?: Content | null;
  refusal?: string | null;
  tool_calls?: readonly ToolCall[];
  reasoning_content?: string | null;
  reasoning_details?: readonly ReasoningDetail[];
  /** The order of the turn (see `listTurn`) if it is not thinking, text, calls. Never sent in the chat form. */
  parts?: readonly PartExtent[];
}
export interface ToolMessage extends JsonObject {
  role: "tool";
  tool_call_id: string;
  content: Content;
  /** True if the tool failed. Never sent in the chat form: dialects without such a field say it in the text. */
  is_error?: boolean;
}
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface FunctionTool extends JsonObject {
  type: "function";
  function: { name: string; description?: string; parameters?: JsonObject; strict?: boolean | null };
  /** The place among the client's tools, if it is `strict` by rules that allow optional properties. Never sent in the chat form. */
  strict_at?: number;
}
export interface CustomTool extends JsonObject {
  type: "custom";
  custom: JsonObject & { name: string };
}
export type Tool = FunctionTool | CustomTool;

export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { type: "function"; function: { name: string } }
  | { type: "custom"; custom: { name: string } }
  | { type: "allowed_tools"; allowed_tools: { mode: "auto" | "required"; tools: readonly JsonObject[] } };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | {
      type: "json_schema";
      json_schema: { name: string; description?: string; schema?: JsonObject; strict?: boolean | null };
      /** True if the client's API enforces every schema, without a word for it. Never sent. */
      is_guaranteed?: boolean;
    };

/** A validated request: no nulls of optional fields, no empty `tools`, no legacy `functions`, and `stop` as a list. */
export interface ChatRequest extends JsonObject {
  model: string;
  messages: readonly ChatMessage[];
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  top_p?: number;
  n?: number;
  stop?: readonly string[];
  presence_penalty?: number;
  frequency_penalty?: number;
  logit_bias?: Record<string, unknown>;
  logprobs?: boolean;
  top_logprobs?: number;
  seed?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean; include_obfuscation?: boolean };
  tools?: readonly Tool[];
  tool_choice?: ToolChoice;
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormat;
  reasoning_effort?: ReasoningEffort;
  user?: string;
  metadata?: Record<string, string>;
  web_search_options?: SearchOptions;
  /** Google's, in the form of generateContent. */
  safety_settings?: readonly JsonObject[];
  /** True if calls must match the schemas of their functions, which Google's models know as a mode. Only surfaces set it. */
  validates_calls?: true;
}

/** The closed set that clients know. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** Marks the word of an end that no table has. As a symbol, it isn't part of any JSON. */
export const UNKNOWN_WORD: unique symbol = Symbol("unknown word");

/** The end of a choice. */
export interface Finish {
  [UNKNOWN_WORD]?: string;
  finish_reason: FinishReason;
  /** The provider's own word if it differs (OpenRouter's field). */
  native_finish_reason?: string | null;
  /** The matched stop sequence, if known. */
  stop_sequence?: string;
}

/** A source of part of the content, by character positions. Both are 0 if the provider gives no position. */
export interface CitedSource {
  start_index: number;
  end_index: number;
  /** The cited passage (OpenRouter's field). */
  content?: string;
  /** The provider's id of a file, a document or a tool's result. */
  document_id?: string;
  /** The OpenAI container that has the file. */
  container_id?: string;
  /** The index of the document in the conversation, from 0. */
  document_index?: number;
  /** The passage within the document. Characters and blocks count from 0, pages from 1. `end` is exclusive. */
  location?: { unit: "char" | "page" | "block"; start: number; end: number };
}
interface UrlCitation extends JsonObject {
  type: "url_citation";
  url_citation: CitedSource & { url: string; title: string };
}
/** A source without a URL. Its title may be empty. */
export interface DocumentCitation extends JsonObject {
  type: "document_citation";
  document_citation: CitedSource & { title: string };
}
export type Citation = UrlCitation | DocumentCitation;

/** Dialects report malformed counts as NaN, and the normaliser then drops the whole report. */
export interface Usage extends JsonObject {
  /** All prompt tokens, including cached and cache-written ones. */
  prompt_tokens: number;
  /** All tokens produced, including reasoning. */
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: JsonObject & {
    cached_tokens?: number;
    cache_write_tokens?: number;
    cache_write_1h_tokens?: number;
    cache_write_12h_tokens?: number;
  };
  completion_tokens_details?: JsonObject & { reasoning_tokens?: number };
  /** The billed counts, if they differ from what the model read and wrote (Cohere). */
  billed_units?: { input_tokens: number; output_tokens: number };
  /** Searches run by the provider and billed separately. */
  server_tool_use?: { web_search_requests: number };
  /** The answer's own words about its price. Clients don't see it. */
  terms?: AnswerTerms;
}

/** A fragment of a tool call. The first of each `index` has the id, type and name. */
export interface ToolCallDelta extends JsonObject {
  index: number;
  id?: string;
  type?: "function" | "custom";
  function?: { name?: string; arguments?: string };
  custom?: { name?: string; input?: string };
  extra_content?: JsonObject;
}

export interface Delta extends JsonObject {
  role?: "assistant";
  content?: string | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning_details?: readonly ReasoningDetail[];
  tool_calls?: readonly ToolCallDelta[];
  annotations?: readonly Citation[];
  /** Never sent in the chat form. */
  web_searches?: readonly WebSearch[];
}

export interface ChunkChoice extends JsonObject, Omit<Finish, "finish_reason"> {
  index: number;
  delta: Delta;
  finish_reason: FinishReason | null;
  logprobs?: unknown;
}

/** Marks the thinking of the history that the provider says it left out. As a symbol, it isn't part of any JSON. */
export const REMOVED: unique symbol = Symbol("removed thinking");

interface Removing {
  [REMOVED]?: readonly RemovedReasoning[];
}

/** A decoded chunk: a chat.completion.chunk without `id`, `object`, `created` and `model`, which the gateway adds. */
export interface ChatChunk extends JsonObject, Removing {
  choices: readonly ChunkChoice[];
  /** Cumulative: later reports replace earlier ones. */
  usage?: Usage;
}

export interface ReplyMessage extends AssistantMessage {
  content: string | null;
  refusal: string | null;
  reasoning_content?: string;
  annotations?: readonly Citation[];
  /** Never sent in the chat form. */
  web_searches?: readonly WebSearch[];
}

export interface ReplyChoice extends JsonObject, Finish {
  index: number;
  message: ReplyMessage;
  logprobs: unknown;
}

/** A whole answer: a chat.completion without `id`, `object`, `created` and `model`, which the gateway adds. */
export interface ChatReply extends JsonObject, Removing {
  choices: readonly ReplyChoice[];
  usage?: Usage;
  /** The provider's own answer, for clients of the same family. Never sent in the chat form. */
  verbatim?: JsonObject;
}

/** True if the client requires a tool call. */
export function isCallForced({ tools, tool_choice: choice }: ChatRequest): boolean {
  if (tools === undefined || choice === undefined) return false;
  if (typeof choice === "string") return choice === "required";
  return choice.type !== "allowed_tools" || choice.allowed_tools.mode === "required";
}

/** Returns the client's output limit, the smaller of its two fields, or undefined. */
export function readOutputLimit(request: ChatRequest): number | undefined {
  const { max_tokens: old, max_completion_tokens: now } = request;
  if (old === undefined) return now;
  return now === undefined ? old : Math.min(old, now);
}
