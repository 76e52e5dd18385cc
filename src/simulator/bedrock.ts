// Amazon Bedrock from the provider's side: Converse, and Claude through InvokeModel, each whole or in binary frames.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../core/json/json.ts";
import { STOP as ANTHROPIC_STOP, anthropic } from "./anthropic.ts";
import { joinText } from "./chat-messages.ts";
import { encodeFrames, nameException } from "./event-frames.ts";
import { countBase64Bytes, readBearer, renderNamedEvent } from "./formats.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind } from "./problem.ts";
import { signText, splitInput, takeFirstAnswer } from "./responder.ts";
import type {
  Answer,
  Exchange,
  Frame,
  Incoming,
  Media,
  NamedEvent,
  Prompt,
  SimDialect,
  Turn,
} from "./types.ts";
import { BEDROCK_EMBEDDINGS, BEDROCK_RERANK } from "./vectors.ts";

/** Errors other than ValidationException ("Amazon Bedrock API reference: InvokeModel, Converse"). */
const TYPES: { readonly [K in ProblemKind]?: string } = {
  no_key: "UnrecognizedClientException",
  bad_key: "UnrecognizedClientException",
  no_credit: "AccessDeniedException",
  forbidden: "AccessDeniedException",
  not_found: "ResourceNotFoundException",
  rate_limit: "ThrottlingException",
  timeout: "ModelTimeoutException",
  server: "InternalServerException",
  unavailable: "ServiceUnavailableException",
  gateway_timeout: "InternalServerException",
  overloaded: "ServiceUnavailableException",
};
const STATUS = { ...COMMON_STATUS, no_key: 403, bad_key: 403, no_credit: 403, unprocessable: 400 };

function describeProblem({ kind, message, path = [] }: Problem): string {
  switch (kind) {
    case "bad_key":
    case "no_key":
      return "The security token included in the request is invalid.";
    case "context":
      return "Input is too long for requested model.";
    case "filter":
      return "The prompt was blocked by the content filter.";
    default:
      return path.length === 0
        ? message
        : `Malformed input request: ${formatBracketedPath(path)}: ${message}`;
  }
}

function renderErrorBody(problem: Problem): JsonObject {
  return { message: describeProblem(problem) };
}

/** Bedrock sends the error type only in a header, and no Retry-After. */
function renderErrorHeaders({ kind }: Problem): Readonly<Record<string, string>> {
  const type = TYPES[kind] ?? "ValidationException";
  return { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
}

/** Captures the model's id and the kind of call: `/model/{id}/converse`. */
const CALL = /^\/model\/([^/]+)\/(converse|invoke)(-stream|-with-response-stream)?$/;

function readModel({ path }: Incoming): string {
  return decodeURIComponent(CALL.exec(path)?.[1] ?? "");
}

/** Returns the bearer token, or the key's id from a signature, which doesn't contain the secret. */
function readSecret(headers: Incoming["headers"]): string | undefined {
  const signed = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(headers.authorization ?? "");
  return signed?.[1] ?? readBearer(headers);
}

function isInvoked(body: JsonObject): boolean {
  return body.anthropic_version !== undefined;
}

/** Returns the model's name on Anthropic's own API. */
function toClaude(model: string): string {
  return model.replace(/^.*anthropic\./, "");
}

function toAnthropic(exchange: Exchange): Exchange {
  return { ...exchange, model: toClaude(exchange.model) };
}

/** Reads a Converse request into a prompt. */
function readConverse(body: JsonObject, model: string): Prompt {
  const system = joinText(body.system);
  const { tools, toolChoice } = asObject(body.toolConfig);
  const { maxTokens, stopSequences } = asObject(body.inferenceConfig);
  const { structure } = asObject(asObject(body.outputConfig).textFormat);
  const { schema } = asObject(asObject(structure).jsonSchema);
  const format = parseJson(asString(schema) ?? "");
  return {
    turns: [
      ...(system === "" ? [] : [{ role: "system", text: system } as const]),
      ...asArray(body.messages).filter(isObject).flatMap(readTurns),
    ],
    tools: asArray(tools).flatMap((tool) => {
      const { toolSpec } = asObject(tool);
      if (!isObject(toolSpec)) return [];
      return { name: String(toolSpec.name), schema: asObject(asObject(toolSpec.inputSchema).json) };
    }),
    toolChoice: readChoice(asObject(toolChoice)),
    parallelCalls: true,
    format: isObject(format) ? { schema: format } : null,
    isThinking: isThinking(asObject(body.additionalModelRequestFields), model),
    stop: asArray(stopSequences).map(String),
    outputTokensMax: asNumber(maxTokens) ?? null,
    choices: 1,
  };
}

function isThinking(fields: JsonObject, model: string): boolean {
  const asked = fields.reasoningConfig ?? fields.reasoning_config ?? fields.reasoning_effort;
  return asked !== undefined || /gpt-oss|think/.test(model);
}

function readChoice({ any, tool }: JsonObject): Prompt["toolChoice"] {
  if (isObject(tool)) return { name: String(tool.name) };
  return isObject(any) ? "required" : "auto";
}

function readTurns({ role, content }: JsonObject): readonly Turn[] {
  const blocks = asArray(content).filter(isObject);
  if (role === "assistant") {
    const calls = blocks.flatMap(({ toolUse }) => {
      if (!isObject(toolUse)) return [];
      const { toolUseId, name, input } = toolUse;
      return [{ id: String(toolUseId), name: String(name), input: JSON.stringify(input) }];
    });
    return [{ role: "assistant", text: joinText(blocks), calls }];
  }
  const results = blocks.flatMap(({ toolResult }): Turn[] => {
    if (!isObject(toolResult)) return [];
    const held = asArray(toolResult.content);
    const media = held.filter(isObject).flatMap(readMedia);
    return [{ role: "tool", text: joinText(held), answers: String(toolResult.toolUseId), media }];
  });
  const others = blocks.filter(({ toolResult, cachePoint }) => !toolResult && !cachePoint);
  if (results.length > 0 && others.length === 0) return results;
  return [...results, { role: "user", text: joinText(others), media: others.flatMap(readMedia) }];
}

function readMedia({ image, document }: JsonObject): readonly Media[] {
  const given = image ?? document;
  if (!isObject(given)) return [];
  const data = asString(asObject(given.source).bytes);
  const format = String(given.format);
  const kind = image === undefined ? "file" : "image";
  const mediaType = kind === "image" ? `image/${format}` : format === "pdf" ? "application/pdf" : format;
  return [{ kind, mediaType, bytes: data === undefined ? null : countBase64Bytes(data) }];
}

const STOP = { ...ANTHROPIC_STOP, refusal: "content_filtered" };

function renderUsage({ usage }: Exchange): JsonObject {
  if (!usage) return {};
  const { input, output, cached, written } = usage;
  return {
    usage: {
      inputTokens: Math.max(0, input - cached - written),
      outputTokens: output,
      totalTokens: input + output,
      cacheReadInputTokens: cached,
      cacheReadInputTokenCount: cached,
      cacheWriteInputTokens: written,
      cacheWriteInputTokenCount: written,
      serverToolUsage: {},
    },
  };
}

function renderBlocks(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  const { thinking, calls } = answer;
  const text = answer.refusal ?? answer.text;
  const reasoningText = { text: thinking, signature: signText(thinking) };
  return [
    ...(thinking === "" ? [] : [{ reasoningContent: { reasoningText } }]),
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ name, input }, at) => ({
      toolUse: { toolUseId: `tooluse_${exchange.id(`call ${at}`, 22)}`, name, input: JSON.parse(input) },
    })),
  ];
}

function renderReply(exchange: Exchange): JsonObject {
  if (isInvoked(exchange.body)) return anthropic.renderReply(toAnthropic(exchange));
  const answer = takeFirstAnswer(exchange);
  return {
    metrics: { latencyMs: 100 },
    output: { message: { role: "assistant", content: renderBlocks(exchange, answer) } },
    stopReason: STOP[answer.finish],
    ...renderUsage(exchange),
  };
}

/** Splits a block, which holds a text, a thought or a call. */
function listDeltas(block: JsonObject, answer: Answer): readonly JsonObject[] {
  if (block.text !== undefined) {
    return (answer.refusal === null ? answer.pieces : [answer.refusal]).map((text) => ({ text }));
  }
  if (block.reasoningContent !== undefined) {
    const texts = (answer.thinking.match(/\s*\S+/g) ?? []).map((text) => ({ text }));
    return [...texts, { signature: signText(answer.thinking) }].map((reasoningContent) => ({
      reasoningContent,
    }));
  }
  const { input } = Object(block.toolUse);
  return splitInput(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } }));
}

function* renderPieces(exchange: Exchange, answer: Answer): Iterable<NamedEvent> {
  yield ["start", "messageStart", { role: "assistant" }];
  for (const [contentBlockIndex, block] of renderBlocks(exchange, answer).entries()) {
    const { input, ...toolUse } = Object(block.toolUse);
    if (block.toolUse !== undefined)
      yield ["start", "contentBlockStart", { contentBlockIndex, start: { toolUse } }];
    for (const delta of listDeltas(block, answer))
      yield ["delta", "contentBlockDelta", { contentBlockIndex, delta }];
    yield ["start", "contentBlockStop", { contentBlockIndex }];
  }
  yield ["finish", "messageStop", { stopReason: STOP[answer.finish] }];
  yield ["end", "metadata", { metrics: { latencyMs: 100 }, ...renderUsage(exchange) }];
}

function* renderConverse(exchange: Exchange): Iterable<Frame> {
  let padding = 0;
  for (const [kind, name, data] of renderPieces(exchange, takeFirstAnswer(exchange))) {
    padding = (padding + 7) % 26;
    const p = "abcdefghijklmnopqrstuvwxyz".slice(0, padding);
    yield { kind, text: renderNamedEvent(name, { ...data, p }) };
  }
}

const INNER_EVENT = /event: .*\ndata: (.*)\n\n/g;

/** Yields the events of Anthropic's own stream in base64. The last one also carries Bedrock's token counts. */
function* renderInvoked(exchange: Exchange): Iterable<Frame> {
  for (const { kind, text } of anthropic.renderFrames(toAnthropic(exchange))) {
    const events = [...text.matchAll(INNER_EVENT)].map(([, data = "{}"]) => {
      const event: JsonObject = JSON.parse(data);
      // Bedrock sends no pings.
      if (event.type === "ping") return "";
      const { input = 0, output = 0 } = exchange.usage ?? {};
      const metrics = { inputTokenCount: input, outputTokenCount: output };
      const last = kind === "end" ? { ...event, "amazon-bedrock-invocationMetrics": metrics } : event;
      const bytes = Buffer.from(JSON.stringify(last)).toString("base64");
      return renderNamedEvent("chunk", { bytes, p: "abcdefg" });
    });
    yield { kind, text: events.join("") };
  }
}

/** The Bedrock runtime ("Converse", "ConverseStream", "InvokeModel", "InvokeModelWithResponseStream"). */
export const bedrock: SimDialect = {
  name: "bedrock",
  prefix: "/bedrock",
  handles: (path) => CALL.test(path),
  whole: [BEDROCK_EMBEDDINGS, BEDROCK_RERANK],
  readSecret,
  readModel,
  readPrompt: (body, model) =>
    isInvoked(body) ? anthropic.readPrompt(body, toClaude(model)) : readConverse(body, model),
  isStreamed: ({ path }) => path.endsWith("-stream"),
  chooseStreamType: () => "application/vnd.amazon.eventstream",
  encodeStream: encodeFrames,
  renderReply,
  renderFrames: (exchange) => (isInvoked(exchange.body) ? renderInvoked(exchange) : renderConverse(exchange)),
  status: STATUS,
  renderErrorBody,
  renderErrorHeaders,
  renderFailure: (problem) =>
    renderNamedEvent(nameException("serviceUnavailableException"), renderErrorBody(problem)),
};
