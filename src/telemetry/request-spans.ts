// The spans of a request: one of the server, and below it the choice of a model, the admission and each provider's call.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../core/json.ts";
import { toUsd } from "../core/money.ts";
import {
  deriveSpanId,
  type FinishedAttempt,
  type FinishedRequest,
  type Period,
  type Recording,
  type RefusedRequest,
  type TraceContext,
} from "../core/trace-context.ts";
import { Attributes, type Span, writeSpan } from "./otlp-json.ts";

/** A shorter admission isn't shown. */
const ADMISSION_MS_MIN = 1;
const SERVER_ERROR = 500;

/** OpenTelemetry's names of providers, by ours. Others go by their own name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  OpenAI: "openai",
  Anthropic: "anthropic",
  Google: "gcp.gemini",
  Vertex: "gcp.vertex_ai",
  Bedrock: "aws.bedrock",
  Azure: "azure.ai.openai",
  Cohere: "cohere",
  DeepSeek: "deepseek",
  Groq: "groq",
  Mistral: "mistral_ai",
  Moonshot: "moonshot_ai",
  Perplexity: "perplexity",
  xAI: "x_ai",
};
const PLATFORMS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  vertex: "gcp.vertex_ai",
};
/** OpenTelemetry's names of operations, by ours. Others go by their own name. */
const OPERATIONS: Readonly<Record<string, string>> = { completion: "text_completion" };

/** A finished request, or one that was refused before the gateway took it. */
interface Served extends Pick<RefusedRequest, "trace" | "requestId" | "endMs"> {
  readonly status: number | null;
  readonly faultCode: string | null;
}

/** Returns the spans as JSON texts. Empty if they are not exported. */
export function writeRefusedSpans(request: RefusedRequest): readonly string[] {
  const { trace } = request;
  const { recording } = trace;
  return recording === null ? [] : [writeSpan(describeServer(trace, recording, request, new Attributes()))];
}

/** As `writeRefusedSpans`, in the order in which they ended. */
export function writeRequestSpans(request: FinishedRequest): readonly string[] {
  const { trace, record, selection, admission, attempts, endMs } = request;
  const { recording } = trace;
  if (recording === null) return [];
  const spans: string[] = [];
  let count = attempts.length;
  const addInternal = (name: string, { startMs, endMs: untilMs }: Period, attributes: Attributes) => {
    spans.push(
      writeSpan({
        traceId: trace.traceId,
        spanId: deriveSpanId(trace, ++count),
        parentSpanId: trace.spanId,
        kind: "internal",
        name,
        startMs: toWall(recording, startMs),
        endMs: toWall(recording, untilMs),
        attributes,
        isError: false,
        link: null,
      }),
    );
  };
  if (selection !== null) {
    const chosen = new Attributes()
      .text("poundkey.selector", record.selector)
      .int("poundkey.candidates", selection.candidates)
      .text("poundkey.chosen", selection.chosen);
    addInternal(`select ${record.selector}`, selection, chosen);
  }
  if (admission !== null && admission.endMs - admission.startMs > ADMISSION_MS_MIN)
    addInternal("admit", admission, new Attributes());
  for (const { name, at, action, ...period } of request.hooks) {
    const attributes = new Attributes().text("poundkey.hook.at", at).text("poundkey.hook.action", action);
    addInternal(`hook ${name}`, period, attributes);
  }
  for (const [at, attempt] of attempts.entries()) {
    spans.push(writeSpan(describeAttempt(request, recording, attempt, at + 1)));
  }
  const isBroken = record.stream && record.firstTokenMs !== null;
  const served: Served = {
    trace,
    requestId: record.requestId,
    faultCode: record.faultCode,
    endMs,
    // A stream that broke had begun with 200; a client that left got no status.
    status: record.ended === "client_gone" ? null : isBroken ? 200 : record.status,
  };
  spans.push(writeSpan(describeServer(trace, recording, served, describeRequest(request))));
  return spans;
}

function toWall({ atMs, startedMs }: Recording, monotonicMs: number): number {
  return atMs + (monotonicMs - startedMs);
}

function describeServer(
  { traceId, spanId, parent }: TraceContext,
  recording: Recording,
  { requestId, status, faultCode, endMs }: Served,
  attributes: Attributes,
): Span {
  const isContinued = parent?.traceId === traceId;
  return {
    traceId,
    spanId,
    parentSpanId: isContinued ? parent.spanId : null,
    kind: "server",
    name: `POST ${recording.route}`,
    startMs: recording.atMs,
    endMs: toWall(recording, endMs),
    attributes: attributes
      .word("http.request.method", "POST")
      .text("http.route", recording.route)
      .text("url.path", recording.path)
      .int("http.response.status_code", status)
      .word("error.type", faultCode)
      .word("poundkey.request_id", requestId),
    // A client's mistake is no error of the server; a broken stream is, whatever status it began with.
    isError: faultCode !== null && status !== null && (status >= SERVER_ERROR || status === 200),
    link: isContinued ? null : parent,
  };
}

function describeRequest({ record, chargedNanoUsd }: FinishedRequest): Attributes {
  return new Attributes()
    .word("poundkey.id", record.id)
    .text("poundkey.key_id", record.keyId)
    .text("poundkey.account_id", record.accountId)
    .word("poundkey.operation", record.operation)
    .word("poundkey.surface", record.surface)
    .text("client.address", record.address)
    .text("poundkey.model_asked", record.modelAsked)
    .text("poundkey.model", record.modelUsed)
    .text("poundkey.selector", record.selector)
    .int("poundkey.attempts", record.attempts)
    .truth("poundkey.stream", record.stream)
    .word("poundkey.ended", record.ended)
    .word("poundkey.usage_source", record.usageSource)
    .double("poundkey.cost_usd", toUsd(record.costNanoUsd))
    .double("poundkey.charged_usd", chargedNanoUsd === null ? null : toUsd(chargedNanoUsd));
}

function describeAttempt(
  request: FinishedRequest,
  recording: Recording,
  attempt: FinishedAttempt,
  number: number,
): Span {
  const { trace, record } = request;
  const { card, outcome, faultCode, upstreamStatus } = attempt;
  const operation = OPERATIONS[record.operation] ?? record.operation;
  const { host, port } = findAddress(attempt.baseUrl);
  const attributes = new Attributes()
    .word("gen_ai.operation.name", operation)
    .text("gen_ai.provider.name", nameProvider(attempt))
    .text("gen_ai.request.model", card.name)
    .text("gen_ai.conversation.id", record.session)
    .text("server.address", host)
    .int("server.port", port)
    .text("poundkey.model", card.id)
    .int("poundkey.attempt", number)
    .word("poundkey.outcome", outcome)
    .word("error.type", outcome === "failed" ? faultCode : null)
    .int("http.response.status_code", upstreamStatus);
  addParameters(attributes, request.parameters, record.stream);
  if (attempt.isShown) addAnswer(attributes, request, attempt);
  return {
    traceId: trace.traceId,
    spanId: attempt.spanId,
    parentSpanId: trace.spanId,
    kind: "client",
    name: `${operation} ${card.name}`,
    startMs: toWall(recording, attempt.startMs),
    endMs: toWall(recording, attempt.endMs),
    attributes,
    isError: outcome === "failed",
    link: null,
  };
}

function nameProvider({ card, platform }: FinishedAttempt): string {
  return (platform === null ? undefined : PLATFORMS[platform]) ?? PROVIDERS[card.provider] ?? card.provider;
}

/** The fields of a request, by their names in the chat-completions API, which other operations' forms share. */
function addParameters(attributes: Attributes, given: JsonObject, isStreamed: boolean): void {
  const limits = [given.max_completion_tokens, given.max_tokens].flatMap((one) => asNumber(one) ?? []);
  const form = asString(asObject(given.response_format).type);
  attributes
    .int("gen_ai.request.max_tokens", limits.length > 0 ? Math.min(...limits) : null)
    .double("gen_ai.request.temperature", asNumber(given.temperature))
    .double("gen_ai.request.top_p", asNumber(given.top_p))
    .double("gen_ai.request.top_k", asNumber(given.top_k))
    .double("gen_ai.request.frequency_penalty", asNumber(given.frequency_penalty))
    .double("gen_ai.request.presence_penalty", asNumber(given.presence_penalty))
    .int("gen_ai.request.seed", asNumber(given.seed))
    .int("gen_ai.request.choice.count", asNumber(given.n))
    .text("gen_ai.output.type", form && (form === "text" ? form : "json"))
    .truth("gen_ai.request.stream", isStreamed ? true : null);
}

function addAnswer(attributes: Attributes, request: FinishedRequest, attempt: FinishedAttempt): void {
  const { record, finishes, content } = request;
  // A call that failed before any part of an answer has none to describe.
  if (attempt.firstMs !== null)
    attributes
      .word("gen_ai.response.id", record.id)
      .text("gen_ai.response.model", attempt.card.name)
      .texts("gen_ai.response.finish_reasons", finishes.length > 0 ? finishes : null);
  if (record.usageSource !== "none") addUsage(attributes, record);
  if (record.stream && attempt.firstMs !== null)
    attributes.double("gen_ai.response.time_to_first_chunk", (attempt.firstMs - attempt.startMs) / 1000);
  if (content === null) return;
  const { stop } = request.parameters;
  const stops = typeof stop === "string" ? [stop] : asArray(stop).flatMap((one) => asString(one) ?? []);
  attributes
    // They are texts of the client's, unlike the other parameters.
    .texts("gen_ai.request.stop_sequences", stops.length > 0 ? stops : null)
    .text("gen_ai.system_instructions", content.system)
    .text("gen_ai.input.messages", content.input)
    .text("gen_ai.output.messages", content.output)
    .truth("poundkey.content_truncated", content.isTruncated ? true : null);
}

function addUsage(attributes: Attributes, { amounts, costNanoUsd }: FinishedRequest["record"]): void {
  const some = (amount: number) => (amount > 0 ? amount : null);
  attributes
    .int("gen_ai.usage.input_tokens", amounts.prompt)
    .int("gen_ai.usage.output_tokens", amounts.completion)
    .int("gen_ai.usage.cache_read.input_tokens", some(amounts.cached))
    .int("gen_ai.usage.cache_creation.input_tokens", some(amounts.cacheWrite))
    .int("gen_ai.usage.reasoning.output_tokens", some(amounts.reasoning))
    .int("gen_ai.usage.audio.input_tokens", some(amounts.inputAudio))
    .int("gen_ai.usage.audio.output_tokens", some(amounts.outputAudio))
    .int("gen_ai.usage.image.input_tokens", some(amounts.inputImage))
    .double("poundkey.cost_usd", toUsd(costNanoUsd));
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** By base URL: parsing one costs as much as the rest of the span. Only an operator adds to them. */
const ADDRESSES = new Map<string, Address>();
const ADDRESSES_MAX = 1000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

function findAddress(baseUrl: string): Address {
  const known = ADDRESSES.get(baseUrl);
  if (known) return known;
  const { hostname, port, protocol } = new URL(baseUrl);
  const address = {
    host: hostname,
    port: port === "" ? (protocol === "http:" ? HTTP_PORT : HTTPS_PORT) : Number(port),
  };
  if (ADDRESSES.size >= ADDRESSES_MAX) ADDRESSES.clear();
  ADDRESSES.set(baseUrl, address);
  return address;
}
