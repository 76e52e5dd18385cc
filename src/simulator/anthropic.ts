// The Anthropic dialect from the provider's side: `/anthropic/v1/messages`.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { joinText } from "./chat-messages.ts";
import { countBase64Bytes, readBearer, renderNamedEvent, renderTypedEvent, renderWait } from "./formats.ts";
import { COMMON_STATUS, formatDottedPath, type Problem, type ProblemKind } from "./problem.ts";
import { signText, splitInput, takeFirstAnswer } from "./responder.ts";
import { isSearching, isSearchTool, renderCitation, renderSearchBlocks } from "./searches.ts";
import type { Answer, Exchange, Frame, Media, Prompt, SimDialect, Turn } from "./types.ts";

/** Status codes by kind ("Anthropic API: Errors"). */
const STATUS = { ...COMMON_STATUS, overloaded: 529 };

/** Error types other than `invalid_request_error`. */
const TYPES: { readonly [K in ProblemKind]?: string } = {
  no_key: "authentication_error",
  bad_key: "authentication_error",
  no_credit: "billing_error",
  forbidden: "permission_error",
  not_found: "not_found_error",
  too_large: "request_too_large",
  rate_limit: "rate_limit_error",
  timeout: "timeout_error",
  server: "api_error",
  unavailable: "api_error",
  gateway_timeout: "timeout_error",
  overloaded: "overloaded_error",
};

/** Returns the problem's message, in Anthropic's own words if they are known. */
function describeProblem({ kind, message, path }: Problem): string {
  const at = formatDottedPath(path);
  switch (kind) {
    case "missing":
      return `${at}: Field required`;
    case "unknown":
      return `${at}: Extra inputs are not permitted`;
    case "bad_key":
    case "no_key":
      return "invalid x-api-key";
    case "context":
      return "prompt is too long: 208310 tokens > 200000 maximum";
    case "filter":
      return "Output blocked by content filtering policy";
    default:
      return at === "" ? message : `${at}: ${message}`;
  }
}

function renderErrorBody(problem: Problem): JsonObject {
  const error = { type: TYPES[problem.kind] ?? "invalid_request_error", message: describeProblem(problem) };
  return { type: "error", error, request_id: "req_sim" };
}

function readMedia({ type, source }: JsonObject): readonly Media[] {
  if (type !== "image" && type !== "document") return [];
  const { media_type: mediaType, data, url, file_id: id, type: kind } = asObject(source);
  const bytes = typeof data !== "string" ? null : kind === "text" ? data.length : countBase64Bytes(data);
  const label = String(mediaType ?? url ?? id);
  return [{ kind: type === "image" ? "image" : "file", mediaType: label, bytes }];
}

/** Splits a message into turns: one per tool result in a user's message, and one for the other blocks. */
function readTurns({ role, content }: JsonObject): readonly Turn[] {
  const blocks = asArray(content).filter(isObject);
  if (role === "system") return [{ role: "system", text: joinText(content) }];
  if (role === "assistant") {
    const calls = blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), input: JSON.stringify(input) }));
    return [{ role: "assistant", text: joinText(content), calls }];
  }
  const results = blocks.filter(({ type }) => type === "tool_result");
  const turns: Turn[] = results.map((result) => ({
    role: "tool",
    text: joinText(result.content),
    answers: String(result.tool_use_id),
    media: asArray(result.content).filter(isObject).flatMap(readMedia),
  }));
  const said: Turn = { role: "user", text: joinText(content), media: blocks.flatMap(readMedia) };
  return results.length > 0 && results.length === blocks.length ? turns : [...turns, said];
}

function readToolChoice(choice: unknown): Prompt["toolChoice"] {
  const { type, name } = asObject(choice);
  if (type === "tool") return { name: String(name) };
  if (type === "none") return "none";
  return type === "any" ? "required" : "auto";
}

/** Models that always think and refuse `thinking.type: "disabled"`. */
export const ALWAYS_THINKS = /^claude-(sonnet-5-5|opus-5-5|fable-)/;

function isThinking(body: JsonObject, model: string): boolean {
  const { type } = asObject(body.thinking);
  if (type !== undefined) return type === "enabled" || type === "adaptive";
  return model.includes("think") || ALWAYS_THINKS.test(model);
}

/** Lists the offered tools but those that a message removes (Messages API reference, `tool_removal`). */
function readTools(body: JsonObject): Prompt["tools"] {
  const late = asArray(body.messages).flatMap((message) => asArray(asObject(message).content).map(asObject));
  const removed = new Set(
    late.filter(({ type }) => type === "tool_removal").map(({ tool }) => asObject(tool).name),
  );
  return asArray(body.tools).flatMap((tool) => {
    const { name, input_schema: parameters } = asObject(tool);
    return isSearchTool(tool) || removed.has(name)
      ? []
      : [{ name: String(name), schema: asObject(parameters) }];
  });
}

function readPrompt(body: JsonObject, model: string): Prompt {
  const system = joinText(body.system);
  const { schema } = asObject(asObject(body.output_config).format);
  return {
    turns: [
      ...(system === "" ? [] : [{ role: "system", text: system } as const]),
      ...asArray(body.messages).filter(isObject).flatMap(readTurns),
    ],
    tools: readTools(body),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: asObject(body.tool_choice).disable_parallel_tool_use !== true,
    format: isObject(schema) ? { schema } : null,
    isThinking: isThinking(body, model),
    stop: asArray(body.stop_sequences).map(String),
    outputTokensMax: asNumber(body.max_tokens) ?? null,
    choices: 1,
  };
}

export const STOP = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
} as const;

type BlockKind = "thinking" | "text" | "tool_use" | "server_tool_use" | "web_search_tool_result";
type SimulatedBlock = JsonObject & { readonly type: BlockKind };

/** Returns the visible thinking, empty (but signed) for models that always think unless a summary is requested. */
function selectShownThinking({ body, model }: Exchange, { thinking }: Answer): string {
  const shown = asObject(body.thinking).display ?? (ALWAYS_THINKS.test(model) ? "omitted" : "summarized");
  return shown === "summarized" ? thinking : "";
}

function renderBlocks(exchange: Exchange, answer: Answer): readonly SimulatedBlock[] {
  const blocks: SimulatedBlock[] = [];
  const { text, calls } = answer;
  const thinking = selectShownThinking(exchange, answer);
  if (answer.thinking !== "") blocks.push({ type: "thinking", thinking, signature: signText(thinking) });
  const isFound = isSearching(exchange);
  if (isFound) blocks.push(...renderSearchBlocks(exchange));
  if (text !== "")
    blocks.push({ type: "text", text, ...(isFound ? { citations: [renderCitation(exchange)] } : {}) });
  for (const [at, { name, input }] of calls.entries())
    blocks.push({
      type: "tool_use",
      id: `toolu_${exchange.id(`call ${at}`, 24)}`,
      name,
      input: JSON.parse(input),
    });
  return blocks;
}

function renderInputUsage(exchange: Exchange): JsonObject {
  if (!exchange.usage) return {};
  const { input, cached, written } = exchange.usage;
  return {
    input_tokens: Math.max(0, input - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
  };
}

function renderOutputUsage(exchange: Exchange): JsonObject {
  const { usage } = exchange;
  if (!usage) return {};
  const searched = isSearching(exchange) ? { server_tool_use: { web_search_requests: 1 } } : {};
  const details = usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {};
  return { output_tokens: usage.output, ...details, ...searched };
}

/** A block that failed a check, and was shown all the same. */
const SHOWN = "allowed";

/**
 * Renders the report of thinking that was left out of the history. Nothing if none was
 * (https://rubydoc.info/gems/anthropic/Anthropic/Models/Beta/BetaInputTransformation).
 */
function renderDroppedThinking({ removes }: Exchange): JsonObject {
  if (removes.length === 0) return {};
  const entries = removes.map((reason, at) => ({
    type: reason === SHOWN ? "thinking_mismatch_allowed" : "thinking_dropped",
    path: `messages.1.content.${at}`,
    reason: `${reason === SHOWN ? "prefix" : reason}_binding_mismatch`,
  }));
  return { input_transformations: entries };
}

function renderMessage(exchange: Exchange): JsonObject {
  const id = `msg_${exchange.id("message", 24)}`;
  const removed = renderDroppedThinking(exchange);
  return { id, type: "message", role: "assistant", model: exchange.model, ...removed };
}

function renderEnding({ finish, stopSequence, refusal }: Answer): JsonObject {
  const details = refusal === null ? null : { type: "refusal", category: "other", explanation: refusal };
  return { stop_reason: STOP[finish], stop_sequence: stopSequence, stop_details: details };
}

function renderReply(exchange: Exchange): JsonObject {
  const answer = takeFirstAnswer(exchange);
  const usage = { ...renderInputUsage(exchange), ...renderOutputUsage(exchange), service_tier: "standard" };
  const content = renderBlocks(exchange, answer);
  const reply = { ...renderMessage(exchange), content, ...renderEnding(answer) };
  return exchange.usage ? { ...reply, usage } : reply;
}

const EMPTY: Readonly<Record<BlockKind, JsonObject>> = {
  thinking: { thinking: "", signature: "" },
  text: { text: "" },
  tool_use: { input: {} },
  server_tool_use: { input: {} },
  web_search_tool_result: {},
};

function* renderDeltas(block: SimulatedBlock, answer: Answer): Iterable<JsonObject> {
  switch (block.type) {
    case "text":
      for (const text of answer.pieces) yield { type: "text_delta", text };
      for (const citation of asArray(block.citations)) yield { type: "citations_delta", citation };
      return;
    case "thinking":
      for (const thinking of String(block.thinking).match(/\s*\S+/g) ?? [])
        yield { type: "thinking_delta", thinking };
      return yield { type: "signature_delta", signature: block.signature };
    case "tool_use":
    case "server_tool_use": {
      const json = JSON.stringify(block.input);
      const parts = json === "{}" ? [""] : ["", ...splitInput(json)];
      for (const part of parts) yield { type: "input_json_delta", partial_json: part };
    }
  }
}

function* renderFrames(exchange: Exchange): Iterable<Frame> {
  const answer = takeFirstAnswer(exchange);
  const begun = exchange.usage ? { usage: { ...renderInputUsage(exchange), output_tokens: 1 } } : {};
  const message = {
    ...renderMessage(exchange),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...begun,
  };
  yield { kind: "start", text: renderTypedEvent("message_start", { message }) };
  for (const [index, block] of renderBlocks(exchange, answer).entries()) {
    const start = renderTypedEvent("content_block_start", {
      index,
      content_block: { ...block, ...EMPTY[block.type], citations: undefined },
    });
    yield { kind: "start", text: index === 0 ? start + renderTypedEvent("ping", {}) : start };
    for (const delta of renderDeltas(block, answer))
      yield { kind: "delta", text: renderTypedEvent("content_block_delta", { index, delta }) };
    yield { kind: "start", text: renderTypedEvent("content_block_stop", { index }) };
  }
  const repeated = exchange.oddUsage ? renderInputUsage(exchange) : {};
  const ended = exchange.usage ? { usage: { ...repeated, ...renderOutputUsage(exchange) } } : {};
  const finish = renderTypedEvent("message_delta", { delta: renderEnding(answer), ...ended });
  if (exchange.oddUsage) yield { kind: "finish", text: finish };
  yield { kind: "finish", text: finish };
  yield { kind: "end", text: renderTypedEvent("message_stop", {}) };
}

/** Anthropic's Messages ("Messages API", "Streaming messages"). */
export const anthropic: SimDialect = {
  name: "anthropic",
  prefix: "/anthropic/v1",
  handles: (path) => path === "/messages",
  readSecret: (headers) => headers["x-api-key"] || readBearer(headers),
  readPrompt,
  renderReply,
  renderFrames,
  status: STATUS,
  renderErrorBody,
  renderErrorHeaders: (problem) => ({ "request-id": "req_sim", ...renderWait(problem) }),
  renderFailure: (problem) => renderNamedEvent("error", renderErrorBody(problem)),
};
