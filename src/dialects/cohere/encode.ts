// A chat-completion request as a call of Cohere's v2 chat (`POST {base}/chat`).

import { asArray, asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest, FunctionTool, ReasoningEffort } from "../../operations/chat/form.ts";
import { simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import type { Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import {
  clampNumbers,
  clampOutputLimit,
  type EncodedFields,
  leaveOutFields,
  leaveOutRest,
  makeCall,
  mergeFields,
  NOTHING,
  type NumberRange,
  passRest,
} from "../_chat/outgoing.ts";
import { mapSchemas } from "../_chat/schemas/schema.ts";
import { countForeign } from "../_chat/thinking.ts";
import { toFunction } from "../_chat/tools.ts";
import { THINKING_FORMAT } from "./decode.ts";
import { makeMessages } from "./messages.ts";

/** Numbers that are clamped to Cohere's range (Cohere API reference, "Chat"). */
const NUMBERS: readonly NumberRange[] = [
  { from: "temperature", to: "temperature", min: 0, max: 1 },
  { from: "top_p", to: "p", min: 0.01, max: 0.99 },
  { from: "frequency_penalty", to: "frequency_penalty", min: 0, max: 1 },
  { from: "presence_penalty", to: "presence_penalty", min: 0, max: 1 },
  { from: "seed", to: "seed", min: 0, max: Number.MAX_SAFE_INTEGER },
];

const CARRIED: ReadonlySet<string> = new Set([...NUMBERS.map(({ from }) => from), "stop"]);
/** Fields of Cohere's own that are passed on (Cohere API reference, "Chat"). Nothing is held for `documents`. */
export const EXTRA_FIELDS = ["citation_options", "k", "safety_mode", "thinking"] as const;

/** Models before Command R7B refuse `tool_choice`. */
const WITHOUT_TOOL_CHOICE = /^command(-light|-nightly)?$|^command-r(-plus)?(-0[348]-2024)?$/;

/** Cohere has no value for "auto", so the field is left out. */
const MODES: ReadonlyMap<string, string> = new Map([
  ["required", "REQUIRED"],
  ["none", "NONE"],
]);

const OFF: JsonObject = { thinking: { type: "disabled" } };
/** Thinking leaves this many tokens of the output limit for the answer. With fewer for itself it isn't worth requesting. */
const ANSWER_TOKENS_MIN = 1024;

/** The thinking budget in tokens by effort. Efforts not listed are unlimited. */
const THINKING_TOKENS: ReadonlyMap<ReasoningEffort, number> = new Map([
  ["minimal", 512],
  ["low", 2048],
  ["medium", 8192],
]);

export function fit(request: ChatRequest, _card: ModelCard, operator: Passing): ChangedAsk<ChatRequest> {
  const { ask, dropped } = leaveOutRest(request, CARRIED, EXTRA_FIELDS, operator);
  if (!ask.tools || !ask.response_format || ask.response_format.type === "text") return { ask, dropped };
  // JSON output is refused with tools (Cohere API reference, "response_format").
  const unformatted = leaveOutFields(ask, ["response_format"]);
  return { ask: unformatted.ask, dropped: [...dropped, ...unformatted.dropped] };
}

/** Makes the call for a request. Throws `unsupported_capability` for audio and files. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const limit = clampOutputLimit(request, card, "max_tokens");
  const thinks = can(card, "reasoning");
  const { fields, dropped } = mergeFields(
    clampNumbers(request, NUMBERS),
    planTools(request, card),
    planFormat(request),
    planThinking(request, thinks, asNumber(limit.fields.max_tokens)),
  );
  const extras = passRest(request, CARRIED, EXTRA_FIELDS, target);
  const body: JsonObject = {
    ...extras.fields,
    model: card.name,
    messages: makeMessages(request.messages, thinks),
    ...(request.stream ? { stream: true } : {}),
    ...limit.fields,
    ...(request.stop === undefined ? {} : { stop_sequences: request.stop }),
    ...fields,
  };
  const call = makeCall(target, "/chat", body, [...extras.dropped, ...limit.dropped, ...dropped]);
  return { ...call, ...countForeign(request, THINKING_FORMAT) };
}

/** Selects a named function or allowed ones by sending only those. Custom tools become functions of one string. */
function planTools(request: ChatRequest, card: ModelCard): EncodedFields {
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const names = typeof choice === "object" ? new Set([choice.function.name]) : allowed;
  const all = (request.tools ?? []).map(toFunction);
  const chosen = names === null ? all : all.filter((tool) => names.has(tool.function.name));
  const mode = choice === undefined ? undefined : MODES.get(typeof choice === "object" ? "required" : choice);
  const lost = mode !== undefined && WITHOUT_TOOL_CHOICE.test(card.name);
  // These models also lack a value for "none", but sending no tools has that effect.
  if (chosen.length === 0 || (lost && choice === "none")) return NOTHING;
  const strict = chosen.every(canBeStrict);
  return {
    fields: {
      tools: chosen.map((tool) => makeTool(tool, strict)),
      ...(strict ? { strict_tools: true } : {}),
      ...(mode === undefined || lost ? {} : { tool_choice: mode }),
    },
    dropped: lost ? ["tool_choice"] : [],
  };
}

/** Strictness applies to all tools together, and Cohere then refuses a tool with only optional parameters. */
function canBeStrict({ function: fn }: FunctionTool): boolean {
  const { required, properties } = asObject(fn.parameters);
  const optionalOnly = asArray(required).length === 0 && Object.keys(asObject(properties)).length > 0;
  return fn.strict === true && !optionalOnly;
}

function makeTool({ function: fn }: FunctionTool, strict: boolean): JsonObject {
  const parameters = fn.parameters ?? { type: "object", properties: {} };
  return {
    type: "function",
    function: {
      name: fn.name,
      ...(fn.description === undefined ? {} : { description: fn.description }),
      parameters: strict ? withoutRefused(parameters) : parameters,
    },
  };
}

function planFormat(request: ChatRequest): EncodedFields {
  const { response_format: asked } = request;
  if (!asked || asked.type === "text") return NOTHING;
  const schema = asked.type === "json_schema" ? asked.json_schema.schema : undefined;
  const json_schema = schema && withoutRefused(schema);
  return { fields: { response_format: { type: "json_object", json_schema } }, dropped: [] };
}

/** Thinking counts towards the output limit, so its budget leaves a part of it for the answer. */
function planThinking(
  request: ChatRequest,
  thinks: boolean,
  outputTokens = Number.POSITIVE_INFINITY,
): EncodedFields {
  const effort = request.reasoning_effort;
  if (effort === undefined) return NOTHING;
  if (!thinks) return { fields: {}, dropped: ["reasoning_effort"] };
  if (effort === "none") return { fields: OFF, dropped: [] };
  const wanted = THINKING_TOKENS.get(effort) ?? Number.POSITIVE_INFINITY;
  const budget = Math.min(wanted, outputTokens - ANSWER_TOKENS_MIN);
  if (budget < Math.min(wanted, ANSWER_TOKENS_MIN)) return { fields: OFF, dropped: ["reasoning_effort"] };
  const bound = budget === Number.POSITIVE_INFINITY ? {} : { token_budget: budget };
  // Without a budget of its own, an effort is bounded by the limit anyway.
  const isLowered = THINKING_TOKENS.has(effort) && budget < wanted;
  return {
    fields: { thinking: { type: "enabled", ...bound } },
    dropped: isLowered ? ["reasoning_effort"] : [],
  };
}

/** JSON Schema keywords that structured outputs don't support (Cohere, "Unsupported schema features"). */
const REFUSED: ReadonlySet<string> = new Set([
  "$schema",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minLength",
  "maxLength",
  "pattern",
  "additionalProperties",
]);
const FORMATS: ReadonlySet<unknown> = new Set(["date-time", "uuid", "date", "time"]);

/** Removes the refused keywords: the schema allows more, but names and types stay the same. */
function withoutRefused(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (REFUSED.has(keyword) || (keyword === "format" && !FORMATS.has(value))) continue;
    kept[keyword === "oneOf" ? "anyOf" : keyword] = mapSchemas(keyword, value, withoutRefused);
  }
  return kept;
}
