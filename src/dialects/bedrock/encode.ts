// A chat-completion request as a call of Bedrock's Converse (`POST {base}/model/{id}/converse`, `…/converse-stream`).
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import {
  clampOutputLimit,
  type EncodedFields,
  listLeftOut,
  makeBearerHeaders,
  nestFields,
} from "../_chat/outgoing.ts";
import { planPoints } from "./cache-points.ts";
import { makeConversation } from "./conversation.ts";
import { findTraits } from "./models.ts";
import { planReasoning } from "./reasoning.ts";
import { planOutput, planTools } from "./tools.ts";

const CARRIED = ["temperature", "top_p", "stop"];
/** Fields without a Converse equivalent, with the values that ask for what it does anyway. */
const USUAL: readonly (readonly [string, ...unknown[]])[] = [
  ["parallel_tool_calls", true],
  ["service_tier", "auto", "default"],
];

/** Throws a Fault `unsupported_capability` for audio, for images and files by address, and for unsupported types. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const traits = findTraits(card.name);
  const conversation = makeConversation(request.messages, traits);
  const reasoning = planReasoning(request, card);
  const inference = planInference(request, card, reasoning.isDeep);
  const output = planOutput(request.response_format, card);
  const toolbox = planTools(request, card, traits);
  const instructions = [...output.instructions, ...toolbox.instructions].map((text) => ({ text }));
  const cacheable = {
    tools: toolbox.tools,
    system: [...conversation.system, ...instructions],
    turns: conversation.turns,
  };
  const { tools, system, turns, isChanged } = planPoints(cacheable, traits, target.marksCache === true);
  const choice = toolbox.choice === null ? {} : { toolChoice: toolbox.choice };
  const dropped = [
    ...listLeftOut(request, listCarried(request)),
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
      messages: turns,
      ...(system.length > 0 ? { system } : {}),
      ...(tools.length > 0 ? { toolConfig: { tools, ...choice } } : {}),
      ...nestFields("inferenceConfig", inference.fields),
      ...output.fields,
      ...nestFields("additionalModelRequestFields", reasoning.fields),
      ...nestFields("guardrailConfig", writeGuardrail(target)),
    },
    ...(request.stream ? { answer: "aws-eventstream" as const } : {}),
    dropped: [...new Set(dropped)],
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
function planInference(request: ChatRequest, card: ModelCard, isDeep: boolean): EncodedFields {
  const limit = clampOutputLimit(request, card, "maxTokens");
  const { temperature, top_p: topP, stop = [] } = request;
  const dropped = [...limit.dropped];
  const fields = { ...limit.fields };
  const sampling = [
    ["temperature", "temperature", temperature],
    ["top_p", "topP", topP],
  ] as const;
  for (const [from, to, given] of sampling) {
    if (given === undefined) continue;
    const within = Math.min(1, Math.max(0, given));
    if (!isDeep) fields[to] = within;
    if (isDeep || within !== given) dropped.push(from);
  }
  // Some models refuse a sequence of only white space.
  const stopSequences = stop.filter((sequence) => sequence.trim() !== "");
  if (stopSequences.length > 0) fields.stopSequences = stopSequences;
  if (stopSequences.length < stop.length) dropped.push("stop");
  return { fields, dropped };
}
