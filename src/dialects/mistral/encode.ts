// A request as a call of Mistral's chat API, which refuses unknown fields, so only known ones are sent.

import { isObject, type JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest, FunctionTool } from "../../operations/chat/form.ts";
import { simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import type { Passing } from "../../operations/codec.ts";
import { type ChangedAsk, joinLists } from "../../operations/form.ts";
import { arrangeTurns } from "../_chat/arrange.ts";
import {
  BEGUN,
  clampOutputLimit,
  type EncodedFields,
  leaveOutRest,
  makeCall,
  mergeFields,
  NOTHING,
  passRest,
  pickFields,
} from "../_chat/outgoing.ts";
import { tightenFormat } from "../_chat/schemas/strict-format.ts";
import { countForeign } from "../_chat/thinking.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { toFunction } from "../_chat/tools.ts";
import { makeMistralMessages } from "./messages.ts";

/** Fields with the same meaning there. */
const COPIED: ReadonlySet<string> = new Set([
  "top_p",
  "stop",
  "presence_penalty",
  "frequency_penalty",
  "metadata",
  "prediction",
  "prompt_cache_key",
]);
/** Fields of Mistral's own that are passed on (Mistral API reference, "Chat"). */
export const EXTRA_FIELDS = [
  "document_image_limit",
  "document_page_limit",
  "guardrails",
  "prompt_mode",
  "random_seed",
  "safe_prompt",
] as const;
const CARRIED: ReadonlySet<string> = new Set([
  ...COPIED,
  ...BEGUN,
  "temperature",
  "seed",
  "parallel_tool_calls",
]);
const TEMPERATURE_MAX = 1.5;
/** Magistral models always think, and no field turns it off. */
const ALWAYS_THINKS = /^magistral/;

export function fitMistral(
  request: ChatRequest,
  _card: ModelCard,
  operator: Passing,
): ChangedAsk<ChatRequest> {
  const format = tightenFormat(request, true);
  const rest = leaveOutRest(format.ask, CARRIED, EXTRA_FIELDS, operator);
  return { ask: rest.ask, dropped: joinLists(format.dropped, rest.dropped) };
}

export function encodeMistral(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const limit = clampOutputLimit(request, card, "max_tokens");
  const { fields, dropped } = mergeFields(
    planSampling(request),
    planEffort(request, card),
    planTools(request),
  );
  const thinks = ALWAYS_THINKS.test(card.name) || card.capabilities.has("reasoning");
  const extras = passRest(request, CARRIED, EXTRA_FIELDS, target);
  const given = flattenToolResults(request.messages);
  const turns = target.refuses && arrangeTurns(given, target.refuses);
  const body: JsonObject = {
    ...extras.fields,
    model: card.name,
    messages: makeMistralMessages(turns?.messages ?? given, thinks),
    ...pickFields(request, COPIED),
    ...limit.fields,
    ...(request.n === undefined ? {} : { n: request.n }),
    ...(request.seed === undefined ? {} : { random_seed: Math.abs(request.seed) }),
    ...makeFormatFields(request),
    ...fields,
    ...(request.stream === true ? { stream: true } : {}),
  };
  const left = [...extras.dropped, ...limit.dropped, ...dropped, ...(turns?.dropped ?? [])];
  const call = makeCall(target, "/chat/completions", body, left);
  // Its own thinking isn't sealed, and another's goes up as a text if the model thinks.
  return { ...call, ...countForeign(request, null, thinks) };
}

/** Temperature is at most 1.5. At 0, which is greedy, top_p must be 1. */
function planSampling(request: ChatRequest): EncodedFields {
  const { temperature, top_p: topP } = request;
  if (temperature === undefined) return NOTHING;
  if (temperature > TEMPERATURE_MAX) {
    return { fields: { temperature: TEMPERATURE_MAX }, dropped: ["temperature"] };
  }
  const greedy = temperature === 0 && topP !== undefined && topP !== 1;
  return { fields: greedy ? { temperature, top_p: 1 } : { temperature }, dropped: greedy ? ["top_p"] : [] };
}

/** `json_schema` requires a schema. */
function makeFormatFields({ response_format: format }: ChatRequest): JsonObject {
  if (format === undefined) return {};
  const isWhole = format.type !== "json_schema" || format.json_schema.schema !== undefined;
  return { response_format: isWhole ? format : { type: "json_object" } };
}

/** Mistral's only efforts are `none` and `high`. */
function planEffort(request: ChatRequest, card: ModelCard): EncodedFields {
  const { reasoning_effort: asked } = request;
  if (asked === undefined) return NOTHING;
  const isDeaf = ALWAYS_THINKS.test(card.name) || !can(card, "reasoning");
  if (isDeaf) return { fields: {}, dropped: ["reasoning_effort"] };
  const effort = asked === "none" ? "none" : "high";
  return { fields: { reasoning_effort: effort }, dropped: effort === asked ? [] : ["reasoning_effort"] };
}

function planTools(request: ChatRequest): EncodedFields {
  const { tools, tool_choice: asked, parallel_tool_calls: parallel } = request;
  if (tools === undefined) {
    const idle = ["tool_choice", "parallel_tool_calls"].filter((field) => request[field] !== undefined);
    return { fields: {}, dropped: idle };
  }
  const { choice, allowed } = simplifyChoice(asked);
  const functions = tools.map(toFunction).filter((tool) => isObject(tool.function));
  const kept = functions.map(makeTool).filter((tool) => allowed?.has(tool.function.name) ?? true);
  const fields = {
    tools: kept,
    ...(choice === undefined ? {} : { tool_choice: choice === "required" ? "any" : choice }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
  return { fields, dropped: functions.length < tools.length ? ["tools"] : [] };
}

/** Makes a function with parameters, which Mistral requires, and no unknown fields. */
function makeTool(tool: FunctionTool) {
  const { name, description, parameters, strict } = tool.function;
  return {
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: parameters ?? { type: "object", properties: {} },
      ...(typeof strict === "boolean" ? { strict } : {}),
    },
  };
}
