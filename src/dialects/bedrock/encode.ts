// A chat-completion request as a call of Bedrock's Converse (`POST {base}/model/{id}/converse`, `…/converse-stream`).

import type { JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { joinSaid } from "../../operations/chat/prompt/say-at-end.ts";
import type { Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { markNewest } from "../_chat/cache/request.ts";
import {
  BEGUN,
  clampNumbers,
  clampOutputLimit,
  type EncodedFields,
  leaveOutRest,
  listStops,
  makeBearerHeaders,
  mergeFields,
  type NumberRange,
  nestFields,
  passRest,
} from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import { sayInTurns } from "../_chat/turns.ts";
import { planPoints } from "./cache-points.ts";
import type { Block } from "./content.ts";
import { makeConversation } from "./conversation.ts";
import { findTraits } from "./models.ts";
import { planReasoning, REASONING_FORMAT } from "./reasoning.ts";
import { planOutput, planTools } from "./tools.ts";

const CARRIED = ["temperature", "top_p", "stop", ...BEGUN];
/** Fields without a Converse equivalent, with the values that ask for what it does anyway. */
const USUAL: readonly (readonly [string, ...unknown[]])[] = [
  ["parallel_tool_calls", true],
  ["service_tier", "auto", "default"],
];

export function fit(request: ChatRequest, card: ModelCard, operator: Passing): ChangedAsk<ChatRequest> {
  const marked = markNewest(request, findTraits(card.name).cache);
  return leaveOutRest(marked, listCarried(request), [], operator);
}

/** Throws a Fault `unsupported_capability` for audio, for images and files by address, and for unsupported types. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const traits = findTraits(card.name);
  const conversation = makeConversation(request, traits);
  const reasoning = planReasoning(request, card);
  const inference = planInference(request, card, reasoning.isDeep);
  const output = planOutput(request.response_format, card);
  const toolbox = planTools(request, card, traits);
  const { system: given, turns: spoken } = conversation;
  const cacheable = { tools: toolbox.tools, system: given, turns: spoken };
  const { tools, system, turns, isChanged, marked } = planPoints(cacheable, traits, target.marks);
  const words = joinSaid([...output.instructions, ...toolbox.instructions]);
  // Converse has no system messages among its turns.
  const said: readonly Block[] = words === "" ? [] : [{ text: writeNote(words) }];
  const toolChoice = toolbox.choice ?? undefined;
  const extras = passRest(request, listCarried(request), [], target);
  const dropped = [
    ...extras.dropped,
    ...inference.dropped,
    ...output.dropped,
    ...toolbox.dropped,
    ...(reasoning.isChanged ? ["reasoning_effort"] : []),
    ...(conversation.isShortened ? ["messages"] : []),
    ...(isChanged ? ["cache_control"] : []),
  ];
  return {
    url: makeModelUrl(target, card, request.stream ? "converse-stream" : "converse"),
    headers: makeBearerHeaders(target),
    body: {
      messages: sayInTurns(turns, said, "user"),
      ...(system.length > 0 ? { system } : {}),
      ...(tools.length > 0 ? { toolConfig: { tools, toolChoice } } : {}),
      ...nestFields("inferenceConfig", inference.fields),
      ...output.fields,
      ...nestFields("additionalModelRequestFields", { ...extras.fields, ...reasoning.fields }),
      ...nestFields("guardrailConfig", writeGuardrail(target)),
    },
    ...(request.stream ? { answer: "aws-eventstream" as const } : {}),
    dropped: [...new Set(dropped)],
    marked,
    ...countForeign(request, REASONING_FORMAT),
  };
}

function writeGuardrail({ guardrail }: Target): JsonObject {
  return guardrail ? { guardrailIdentifier: guardrail.id, guardrailVersion: guardrail.version } : {};
}

function listCarried(request: ChatRequest): ReadonlySet<string> {
  const usual = USUAL.filter(([field, ...values]) => values.includes(request[field]));
  return new Set([...CARRIED, ...usual.map(([field]) => field)]);
}

/** Temperature and top_p are at most 1 (Converse API reference, "InferenceConfiguration"). */
const SAMPLING: readonly NumberRange[] = [
  { from: "temperature", to: "temperature", min: 0, max: 1 },
  { from: "top_p", to: "topP", min: 0, max: 1 },
];

function planInference(request: ChatRequest, card: ModelCard, isDeep: boolean): EncodedFields {
  const limit = clampOutputLimit(request, card, "maxTokens");
  const { stops, dropped } = listStops(request);
  const refused = SAMPLING.map(({ from }) => from).filter((field) => request[field] !== undefined);
  const sampling = isDeep ? { fields: {}, dropped: refused } : clampNumbers(request, SAMPLING);
  const stopFields = stops.length > 0 ? { stopSequences: stops } : {};
  return mergeFields(limit, sampling, { fields: stopFields, dropped });
}
