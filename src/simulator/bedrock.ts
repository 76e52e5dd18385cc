// Amazon Bedrock from the provider's side: Converse, and Claude by InvokeModel, whole and in binary frames.
import type { JsonObject } from "../core/json.ts";
import { anthropic } from "./anthropic.ts";
import { readConverse } from "./converse-prompt.ts";
import { encodeFrames, nameException } from "./event-frames.ts";
import { readBearer, renderJsonError, renderNamedEvent } from "./formats.ts";
import { COMMON_STATUS, formatBracketedPath, type Problem, type ProblemKind } from "./problem.ts";
import { sign, splitInput, takeFirstAnswer } from "./responder.ts";
import type { Answer, ErrorAnswer, Exchange, Frame, Incoming, SimDialect } from "./types.ts";
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

/** The type stands in a header alone, and there is no Retry-After. */
function renderError(problem: Problem): ErrorAnswer {
  const { retryAfterSeconds: _seconds, ...rest } = problem;
  const type = TYPES[problem.kind] ?? "ValidationException";
  const headers = { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
  return renderJsonError(rest, STATUS[problem.kind], { message: describeProblem(problem) }, headers);
}

/** Path and kind of call: `/model/{id}/converse`. */
const CALL = /^\/model\/([^/]+)\/(converse|invoke)(-stream|-with-response-stream)?$/;

function readModel({ path }: Incoming): string {
  return decodeURIComponent(CALL.exec(path)?.[1] ?? "");
}

/** The key's id stands for the secret in a signature. */
function readSecret(headers: Incoming["headers"]): string | undefined {
  const signed = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(headers.authorization ?? "");
  return signed?.[1] ?? readBearer(headers);
}

function isInvoked(body: JsonObject): boolean {
  return body.anthropic_version !== undefined;
}

/** The same exchange, with the model's name as Anthropic's own service has it. */
function toAnthropic(exchange: Exchange): Exchange {
  return { ...exchange, model: toClaude(exchange.model) };
}

function toClaude(model: string): string {
  return model.replace(/^.*anthropic\./, "");
}

const STOP = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "content_filtered",
} as const;

function renderUsage({ usage }: Exchange): JsonObject {
  if (!usage) return {};
  const { input, output, cached, written } = usage;
  const read = { cacheReadInputTokens: cached, cacheReadInputTokenCount: cached };
  const wrote = { cacheWriteInputTokens: written, cacheWriteInputTokenCount: written };
  return {
    usage: {
      inputTokens: Math.max(0, input - cached - written),
      outputTokens: output,
      totalTokens: input + output,
      ...read,
      ...wrote,
      serverToolUsage: {},
    },
  };
}

function renderBlocks(exchange: Exchange, answer: Answer): readonly JsonObject[] {
  const { thinking, calls } = answer;
  const text = answer.refusal ?? answer.text;
  const reasoningText = { text: thinking, signature: sign(thinking) };
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

type Piece = readonly [Frame["kind"], string, JsonObject];

function* renderPieces(exchange: Exchange, answer: Answer): Iterable<Piece> {
  yield ["start", "messageStart", { role: "assistant" }];
  for (const [contentBlockIndex, block] of renderBlocks(exchange, answer).entries()) {
    const delta = (given: JsonObject): Piece => [
      "delta",
      "contentBlockDelta",
      { contentBlockIndex, delta: given },
    ];
    if (block.text !== undefined)
      for (const text of answer.refusal === null ? answer.pieces : [answer.refusal]) yield delta({ text });
    if (block.reasoningContent !== undefined) {
      for (const text of answer.thinking.match(/\s*\S+/g) ?? []) yield delta({ reasoningContent: { text } });
      yield delta({ reasoningContent: { signature: sign(answer.thinking) } });
    }
    if (block.toolUse !== undefined) {
      const { input, ...toolUse } = Object(block.toolUse);
      yield ["start", "contentBlockStart", { contentBlockIndex, start: { toolUse } }];
      for (const piece of splitInput(JSON.stringify(input))) yield delta({ toolUse: { input: piece } });
    }
    yield ["start", "contentBlockStop", { contentBlockIndex }];
  }
  const stop: Piece = ["finish", "messageStop", { stopReason: STOP[answer.finish] }];
  yield stop;
  yield ["end", "metadata", { metrics: { latencyMs: 100 }, ...renderUsage(exchange) }];
}

function* renderConverse(exchange: Exchange): Iterable<Frame> {
  let padding = 0;
  for (const [kind, name, data] of renderPieces(exchange, takeFirstAnswer(exchange))) {
    padding = (padding + 7) % 26;
    yield {
      kind,
      text: renderNamedEvent(name, { ...data, p: "abcdefghijklmnopqrstuvwxyz".slice(0, padding) }),
    };
  }
}

const INNER_EVENT = /event: .*\ndata: (.*)\n\n/g;

/** The events of the model's own stream, each in base64; the last one also carries Bedrock's token counts. */
function* renderInvoked(exchange: Exchange): Iterable<Frame> {
  for (const { kind, text } of anthropic.renderFrames(toAnthropic(exchange))) {
    const events = [...text.matchAll(INNER_EVENT)].map(([, data = "{}"]) => {
      const event: JsonObject = JSON.parse(data);
      // Bedrock sends no pings.
      if (event.type === "ping") return "";
      const metrics = {
        inputTokenCount: exchange.usage?.input ?? 0,
        outputTokenCount: exchange.usage?.output ?? 0,
      };
      const last = kind === "end" ? { ...event, "amazon-bedrock-invocationMetrics": metrics } : event;
      const bytes = Buffer.from(JSON.stringify(last)).toString("base64");
      return renderNamedEvent("chunk", { bytes, p: "abcdefg" });
    });
    yield { kind, text: events.join("") };
  }
}

/** Amazon Bedrock's runtime ("Converse", "ConverseStream", "InvokeModel", "InvokeModelWithResponseStream"). */
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
  renderError,
  renderFailure: (problem) =>
    renderNamedEvent(nameException("serviceUnavailableException"), { message: describeProblem(problem) }),
  renderFailedBody: (problem) => JSON.stringify({ message: describeProblem(problem) }),
};
