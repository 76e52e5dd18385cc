// The Messages API on clouds: Amazon Bedrock, Vertex AI and Microsoft Foundry.

import type { Fault } from "../../core/faults/fault.ts";
import { asArray, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/models/dialect.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { moveKey } from "../_chat/outgoing.ts";
import { foldToolBlocks } from "./added-tools.ts";
import { BINDING_BETA } from "./encode.ts";
import { ANTHROPIC_LANE } from "./lane.ts";

/** Replaces the header `anthropic-version` in the body (Amazon Bedrock, "Anthropic Claude Messages API"). */
const BEDROCK_VERSION = "bedrock-2023-05-31";
/** The beta flags that Bedrock accepts. It answers any other with 400 "invalid beta flag". */
const BETAS =
  /^(computer-use-[\d-]+|token-efficient-tools-2025-02-19|interleaved-thinking-2025-05-14|output-128k-2025-02-19|dev-full-thinking-2025-05-14|context-1m-2025-08-07|context-management-2025-06-27|effort-2025-11-24|thinking-binding-controls-2026-08-01|tool-search-tool-2025-10-19|tool-examples-2025-10-29|per-turn-control-2026-07-01)$/;
/** Fields of Anthropic's own service. Bedrock refuses them as extra inputs, so they are dropped with their betas. */
const ABSENT = [
  "cache_control",
  "container",
  "inference_geo",
  "mcp_servers",
  "service_tier",
  "speed",
] as const;
/** On Bedrock each of its values means the same: the standard tier. */
const USUAL = "service_tier";
/** Without this beta `context_management` is an extra input too. */
const CONTEXT_BETA = "context-management-2025-06-27";

/** Names that identify Claude. An ARN or an operator's own profile doesn't, so its card must name the dialect. */
export const BEDROCK_CLAUDE_NAMES = /(^|[./])anthropic\.claude/;

/** InvokeModel expects the model in the path, and the version and betas in the body. */
export function carryBedrock(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const { model: _model, stream, ...given } = outgoing.body;
  const { "anthropic-version": _version, "anthropic-beta": header = "", ...headers } = outgoing.headers;
  const asked = header.split(",").filter(Boolean);
  const betas = asked.filter((beta) => takesBeta(beta, target));
  const { body, dropped } = withoutAbsent(
    betas.length < asked.length ? foldToolBlocks(given) : given,
    betas,
    target,
  );
  const call = stream === true ? "invoke-with-response-stream" : "invoke";
  return {
    ...outgoing,
    url: makeModelUrl(target, card, call),
    headers: { ...nameGuardrail(target), ...moveKey(headers, target, "x-api-key", "authorization") },
    body: {
      anthropic_version: BEDROCK_VERSION,
      ...(betas.length > 0 ? { anthropic_beta: betas } : {}),
      ...body,
    },
    ...(stream === true ? { answer: "aws-eventstream" as const } : {}),
    dropped: [
      ...outgoing.dropped,
      ...dropped.filter((field) => field !== USUAL),
      ...(betas.length < asked.length ? ["anthropic-beta"] : []),
    ],
  };
}

/** Claude on Bedrock takes the control of bound thinking as its own service does ("Preserved thinking", Amazon Bedrock). */
function takesBeta(beta: string, { refuses }: Target): boolean {
  return BETAS.test(beta) && !(beta === BINDING_BETA && refuses?.has("thinking_binding"));
}

/** Amazon Bedrock API reference, "InvokeModel": a guardrail is named in headers here. */
function nameGuardrail({ guardrail }: Target): Outgoing["headers"] {
  if (!guardrail) return {};
  const { id, version } = guardrail;
  return { "x-amzn-bedrock-guardrailidentifier": id, "x-amzn-bedrock-guardrailversion": version };
}

function withoutAbsent(
  given: JsonObject,
  betas: readonly string[],
  { extraFields }: Target,
): { body: JsonObject; dropped: string[] } {
  const body = { ...given };
  const absent = betas.includes(CONTEXT_BETA) ? ABSENT : [...ABSENT, "context_management"];
  // A region that the operator lets clients choose is never left out unnoticed.
  const isChosen = (field: string) => field === "inference_geo" && extraFields?.includes(field) === true;
  const dropped = absent.filter((field) => body[field] !== undefined && !isChosen(field));
  for (const field of dropped) delete body[field];
  if (isObject(body.thinking) && body.thinking.block_binding !== undefined && !betas.includes(BINDING_BETA)) {
    const { block_binding: _binding, ...thinking } = body.thinking;
    body.thinking = thinking;
  }
  return { body, dropped };
}

/** Bedrock's message about an unknown field, such as `tools.0.custom.defer_loading: Extra inputs are not permitted`. */
const EXTRA = /(?:^|\s)([a-z_]+(?:\.\w+)*): Extra inputs are not permitted/;
/** Fields not needed for an answer, at the top of the body and within tools and cache marks. */
const OPTIONAL: ReadonlySet<string> = new Set(["context_management", "output_config", "metadata"]);
const OPTIONAL_WITHIN: ReadonlySet<string> = new Set([
  "defer_loading",
  "eager_input_streaming",
  "input_examples",
  "scope",
  "strict",
  "ttl",
]);

/** Like `ANTHROPIC_LANE.repair`, but also drops a field unknown to this model on Bedrock if it isn't needed. */
export function repairBedrock(raw: RawRequest, fault: Fault): RawRequest | null {
  const path = fault.code === "upstream_rejected" ? EXTRA.exec(fault.message)?.[1]?.split(".") : undefined;
  const field = path?.at(-1);
  if (path === undefined || field === undefined) return ANTHROPIC_LANE.repair?.(raw, fault) ?? null;
  if (path.length === 1) {
    if (!OPTIONAL.has(field)) return null;
    const { [field]: _refused, ...body } = raw.body;
    return { ...raw, body };
  }
  return OPTIONAL_WITHIN.has(field) ? { ...raw, body: withoutField(raw.body, field) } : null;
}

/** Removes the field from tools, and from the cache marks of tools, system prompt and messages. */
function withoutField(body: JsonObject, field: string): JsonObject {
  const strip = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const { [field]: _refused, ...rest } = value;
    return rest;
  };
  const mark = (block: unknown): unknown => {
    if (!isObject(block)) return block;
    const content = Array.isArray(block.content) ? { content: block.content.map(mark) } : {};
    const own = block.cache_control === undefined ? {} : { cache_control: strip(block.cache_control) };
    return { ...block, ...content, ...own };
  };
  return {
    ...body,
    messages: asArray(body.messages).map(mark),
    ...(Array.isArray(body.system) ? { system: body.system.map(mark) } : {}),
    ...(Array.isArray(body.tools) ? { tools: body.tools.map((tool) => mark(strip(tool))) } : {}),
  };
}

/** Google Cloud, "Use the Claude models": `rawPredict`, with this instead of the header `anthropic-version`. */
const VERTEX_VERSION = "vertex-2023-10-16";

/** Vertex AI expects the model and the kind of answer in the path, and the version in the body. */
export function carryVertexClaude(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const { model: _model, ...body } = outgoing.body;
  const moved = moveKey(outgoing.headers, target, "x-api-key", "x-goog-api-key");
  const { "anthropic-version": _version, ...headers } = moved;
  const name = encodeURIComponent(card.name.toWellFormed()).replaceAll("%40", "@");
  const call = body.stream === true ? "streamRawPredict" : "rawPredict";
  return {
    ...outgoing,
    url: `${target.baseUrl}/publishers/anthropic/models/${name}:${call}`,
    headers,
    body: { anthropic_version: VERTEX_VERSION, ...body },
  };
}

/** Claude is only available at the resource's Foundry name (Microsoft Foundry, "Deploy and use Claude models"). */
const OTHER_NAMES = /\.(openai|cognitiveservices)\.azure\.com$/;

/** Foundry is beside the resource's OpenAI API, with a deployment instead of the model. */
export function carryFoundry(outgoing: Outgoing, card: ModelCard, { baseUrl }: Target): Outgoing {
  const url = new URL(baseUrl);
  url.hostname = url.hostname.replace(OTHER_NAMES, ".services.ai.azure.com");
  url.pathname = `${url.pathname.replace(/(\/(openai|anthropic))?(\/v1)?\/?$/, "")}/anthropic/v1`;
  return {
    ...outgoing,
    url: `${url.href}${outgoing.url.slice(baseUrl.length)}`,
    body: { ...outgoing.body, model: card.deployment ?? card.name },
  };
}
