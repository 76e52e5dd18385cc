// The spans of a request: one of the server, and below it the choice of a model, the admission and each provider's call.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../core/json/json.ts";
import { describeFindings, readFindings } from "../core/log/finding.ts";
import {
  deriveSpanId,
  type FinishedAttempt,
  type FinishedRequest,
  type FinishedTool,
  type Period,
  type Recording,
  type RefusedRequest,
  type TraceContext,
} from "../core/log/trace-context.ts";
import { toUsd } from "../core/money/money.ts";
import type { OtlpWriter, SpanEnd, SpanHead } from "./otlp-json.ts";
import { Phrases } from "./phrases.ts";
import { describeToolSpan, nameToolSpan } from "./tool-spans.ts";

/** A shorter admission isn't shown. */
const ADMISSION_MS_MIN = 1;
const SERVER_ERROR = 500;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const SOUND: SpanEnd = { isError: false, link: null };

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

/** A request's answer, or its refusal before the gateway took it. */
interface SpanOutcome extends Pick<RefusedRequest, "requestId"> {
  readonly status: number | null;
  readonly faultCode: string | null;
}

/** Writes the span of a refused request. Returns the number of spans: 0 if they are not exported. */
export function writeRefusedSpans(to: OtlpWriter, request: RefusedRequest): number {
  const { trace } = request;
  const { recording } = trace;
  if (recording === null) return 0;
  openServer(to, trace, recording, request.endMs);
  closeServer(to, trace, recording, request);
  return 1;
}

/** As `writeRefusedSpans`, in the order in which they ended. */
export function writeRequestSpans(to: OtlpWriter, request: FinishedRequest): number {
  const { trace, record, selection, admission, attempts, endMs } = request;
  const { recording } = trace;
  if (recording === null) return 0;
  let count = attempts.length + (request.tool === null ? 0 : 1);
  const openInternal = (name: string, period: Period) =>
    openBelow(to, trace, recording, { name, kind: "internal", spanId: deriveSpanId(trace, ++count), period });
  if (selection !== null) {
    openInternal(`select ${record.selector}`, selection)
      .text("poundkey.selector", record.selector)
      .int("poundkey.candidates", selection.candidates)
      .text("poundkey.chosen", selection.chosen)
      .closeSpan(SOUND);
  }
  if (admission !== null && admission.endMs - admission.startMs > ADMISSION_MS_MIN)
    openInternal("admit", admission).closeSpan(SOUND);
  for (const hook of request.hooks) {
    openInternal(`hook ${hook.name}`, hook)
      .text("poundkey.hook.at", hook.at)
      .text("poundkey.hook.action", hook.action)
      .closeSpan(SOUND);
  }
  if (request.guardMs) {
    const findings = readFindings(record.guard);
    const { startedMs } = recording;
    openInternal("guard", { startMs: startedMs, endMs: startedMs + request.guardMs })
      .text("poundkey.guard.request", describeFindings(findings, "request"))
      .text("poundkey.guard.answer", describeFindings(findings, "answer"))
      .closeSpan(SOUND);
  }
  if (request.tool !== null) writeTool(to, request, recording, request.tool);
  for (const [at, attempt] of attempts.entries()) writeAttempt(to, request, recording, attempt, at + 1);
  openServer(to, trace, recording, endMs);
  describeRequest(to, request);
  const isBroken = record.stream && record.firstTokenMs !== null;
  closeServer(to, trace, recording, {
    requestId: record.requestId,
    faultCode: record.faultCode,
    // A stream that broke had begun with 200; a client that left got no status.
    status: record.ended === "client_gone" ? null : isBroken ? 200 : record.status,
  });
  return count + 1;
}

function toWall({ atMs, startedMs }: Recording, monotonicMs: number): number {
  return atMs + (monotonicMs - startedMs);
}

interface Below extends Pick<SpanHead, "name" | "kind" | "spanId"> {
  readonly period: Period;
}

/** Opens a span below the server's. */
function openBelow(
  to: OtlpWriter,
  { traceId, spanId: parentSpanId }: TraceContext,
  recording: Recording,
  { name, kind, spanId, period }: Below,
): OtlpWriter {
  const startMs = toWall(recording, period.startMs);
  const endMs = toWall(recording, period.endMs);
  return to.openSpan({ traceId, spanId, parentSpanId, kind, name, startMs, endMs });
}

function isContinued({ parent, traceId }: TraceContext): boolean {
  return parent?.traceId === traceId;
}

function openServer(to: OtlpWriter, trace: TraceContext, recording: Recording, endMs: number): void {
  const { traceId, spanId, parent } = trace;
  to.openSpan({
    traceId,
    spanId,
    parentSpanId: parent !== null && isContinued(trace) ? parent.spanId : null,
    kind: "server",
    name: recording.tool ? nameToolSpan(recording.tool) : `POST ${recording.route}`,
    startMs: recording.atMs,
    endMs: toWall(recording, endMs),
  });
}

const ROUTE = new Phrases(
  (to, path: string, route: string, status: number | null, faultCode: string | null) =>
    to
      .word("http.request.method", "POST")
      .text("http.route", route)
      .text("url.path", path)
      .int("http.response.status_code", status)
      .word("error.type", faultCode),
);

function closeServer(
  to: OtlpWriter,
  trace: TraceContext,
  { path, route }: Recording,
  { requestId, status, faultCode }: SpanOutcome,
): void {
  to.written(ROUTE.find(path, route, status, faultCode))
    .word("poundkey.request_id", requestId)
    .closeSpan({
      // A client's mistake is no error of the server; a broken stream is, whatever status it began with.
      isError: faultCode !== null && status !== null && (status >= SERVER_ERROR || status === 200),
      link: isContinued(trace) ? null : trace.parent,
    });
}

const CALLER = new Phrases((to, keyId: string, accountId: string, operation: string, surface: string) =>
  to
    .text("poundkey.key_id", keyId)
    .text("poundkey.account_id", accountId)
    .word("poundkey.operation", operation)
    .word("poundkey.surface", surface),
);
const ASKED = new Phrases(
  (
    to,
    modelAsked: string,
    model: string | null,
    selector: string | null,
    attempts: number,
    stream: boolean,
  ) =>
    to
      .text("poundkey.model_asked", modelAsked)
      .text("poundkey.model", model)
      .text("poundkey.selector", selector)
      .int("poundkey.attempts", attempts)
      .truth("poundkey.stream", stream),
);
const ENDED = new Phrases((to, ended: string, usageSource: string) =>
  to.word("poundkey.ended", ended).word("poundkey.usage_source", usageSource),
);

function describeRequest(to: OtlpWriter, { trace, record, chargedNanoUsd }: FinishedRequest): void {
  const called = trace.recording?.tool;
  // A fault's code is written with the answer's status.
  if (called) describeToolSpan(to, called, record.faultCode === null ? (record.tool?.error ?? null) : null);
  const { modelAsked, modelUsed, selector, attempts, stream } = record;
  to.word("poundkey.id", record.id)
    .written(CALLER.find(record.keyId, record.accountId, record.operation, record.surface))
    .text("client.address", record.address)
    .written(ASKED.find(modelAsked, modelUsed, selector, attempts, stream))
    .written(ENDED.find(record.ended, record.usageSource))
    .double("poundkey.cost_usd", toUsd(record.costNanoUsd))
    .double("poundkey.charged_usd", chargedNanoUsd === null ? null : toUsd(chargedNanoUsd));
}

const CALLED = new Phrases(
  (to, model: string, provider: string, platform: string | null, operation: string) =>
    to
      .word("gen_ai.operation.name", operation)
      .text("gen_ai.provider.name", nameProvider(provider, platform))
      .text("gen_ai.request.model", model),
);
const ADDRESSED = new Phrases((to, baseUrl: string, modelId: string, number: number) => {
  const { hostname, port, protocol } = new URL(baseUrl);
  to.text("server.address", hostname)
    .int("server.port", port === "" ? (protocol === "http:" ? HTTP_PORT : HTTPS_PORT) : Number(port))
    .text("poundkey.model", modelId)
    .int("poundkey.attempt", number);
});

function writeAttempt(
  to: OtlpWriter,
  request: FinishedRequest,
  recording: Recording,
  attempt: FinishedAttempt,
  number: number,
): void {
  const { trace, record } = request;
  const { card, outcome, spanId } = attempt;
  const operation = OPERATIONS[record.operation] ?? record.operation;
  const name = `${operation} ${card.name}`;
  openBelow(to, trace, recording, { name, kind: "client", spanId, period: attempt })
    .written(CALLED.find(card.name, card.provider, attempt.platform, operation))
    .text("gen_ai.conversation.id", record.session)
    .written(ADDRESSED.find(attempt.baseUrl, card.id, number))
    .word("poundkey.outcome", outcome)
    .word("error.type", outcome === "failed" ? attempt.faultCode : null)
    .int("http.response.status_code", attempt.upstreamStatus);
  addParameters(to, request.parameters, record.stream);
  if (attempt.isShown) addAnswer(to, request, attempt);
  to.closeSpan({ isError: outcome === "failed", link: null });
}

function writeTool(
  to: OtlpWriter,
  { trace, record }: FinishedRequest,
  recording: Recording,
  tool: FinishedTool,
): void {
  const { spanId } = tool;
  const error = record.tool?.error ?? null;
  openBelow(to, trace, recording, { name: nameToolSpan(tool), kind: "client", spanId, period: tool });
  describeToolSpan(to, tool, error).closeSpan({ isError: error !== null, link: null });
}

function nameProvider(provider: string, platform: string | null): string {
  return (platform === null ? undefined : PLATFORMS[platform]) ?? PROVIDERS[provider] ?? provider;
}

/** The fields of a request, by their names in the chat-completions API, which other operations' forms share. */
function addParameters(to: OtlpWriter, given: JsonObject, isStreamed: boolean): void {
  const limit = asNumber(given.max_completion_tokens);
  const older = asNumber(given.max_tokens);
  const lower = limit === undefined || older === undefined ? (limit ?? older) : Math.min(limit, older);
  const form = asString(asObject(given.response_format).type);
  to.int("gen_ai.request.max_tokens", lower)
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

function addAnswer(to: OtlpWriter, request: FinishedRequest, attempt: FinishedAttempt): void {
  const { record, finishes, content } = request;
  // A call that failed before any part of an answer has none to describe.
  if (attempt.firstMs !== null)
    to.word("gen_ai.response.id", record.id)
      .text("gen_ai.response.model", attempt.card.name)
      .texts("gen_ai.response.finish_reasons", finishes.length > 0 ? finishes : null);
  if (record.usageSource !== "none") addUsage(to, record);
  if (record.stream && attempt.firstMs !== null)
    to.double("gen_ai.response.time_to_first_chunk", (attempt.firstMs - attempt.startMs) / 1000);
  if (content === null) return;
  const { stop } = request.parameters;
  const stops = typeof stop === "string" ? [stop] : asArray(stop).flatMap((one) => asString(one) ?? []);
  to
    // They are texts of the client's, unlike the other parameters.
    .texts("gen_ai.request.stop_sequences", stops.length > 0 ? stops : null)
    .text("gen_ai.system_instructions", content.system)
    .text("gen_ai.input.messages", content.input)
    .text("gen_ai.output.messages", content.output)
    .truth("poundkey.content_truncated", content.isTruncated ? true : null);
}

function addUsage(to: OtlpWriter, { amounts, costNanoUsd }: FinishedRequest["record"]): void {
  const some = (amount: number) => (amount > 0 ? amount : null);
  to.int("gen_ai.usage.input_tokens", amounts.prompt)
    .int("gen_ai.usage.output_tokens", amounts.completion)
    .int("gen_ai.usage.cache_read.input_tokens", some(amounts.cached))
    .int("gen_ai.usage.cache_creation.input_tokens", some(amounts.cacheWrite))
    .int("gen_ai.usage.reasoning.output_tokens", some(amounts.reasoning))
    .int("gen_ai.usage.audio.input_tokens", some(amounts.inputAudio))
    .int("gen_ai.usage.audio.output_tokens", some(amounts.outputAudio))
    .int("gen_ai.usage.image.input_tokens", some(amounts.inputImage))
    .double("poundkey.cost_usd", toUsd(costNanoUsd));
}
