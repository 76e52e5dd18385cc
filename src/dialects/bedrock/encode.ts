// A chat-completion request as a call of Bedrock's Converse (`POST {base}/model/{id}/converse`, `…/converse-stream`).
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { makeModelUrl } from "../_bedrock/call.ts";
import { listLeftOut } from "../_chat/fields.ts";
import { clampOutputLimit, makeBearerHeaders } from "../_chat/outgoing.ts";
import { limitPoints, setPoints } from "./cache-points.ts";
import { makeConversation } from "./conversation.ts";
import { findTraits } from "./models.ts";
import { planReasoning } from "./reasoning.ts";
import { planOutput, planTools } from "./tools.ts";

const CARRIED: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
]);
/** Fields that Converse has no form for, by the value with which they ask for what it does anyway. */
const USUAL: readonly (readonly [string, ...unknown[]])[] = [
  ["parallel_tool_calls", true],
  ["service_tier", "auto", "default"],
];

/** Throws a Fault `unsupported_capability` for audio, for images and files by address, and for those of other types. */
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
  const { tools, system, turns, isChanged } = limitPoints(
    target.marksCache ? setPoints(cacheable) : cacheable,
    traits,
  );
  const choice = toolbox.choice === null ? {} : { toolChoice: toolbox.choice };
  const dropped = [
    ...listLeftOut(request, listCarried(request)),
    ...inference.dropped,
    ...output.dropped,
    ...toolbox.dropped,
    ...(reasoning.isChanged ? ["reasoning_effort"] : []),
    ...(conversation.isChanged ? ["messages"] : []),
    ...(isChanged && !target.marksCache ? ["cache_control"] : []),
  ];
  return {
    url: makeModelUrl(target, card, request.stream ? "converse-stream" : "converse"),
    headers: makeBearerHeaders(target),
    body: {
      messages: turns,
      ...(system.length > 0 ? { system } : {}),
      ...(tools.length > 0 ? { toolConfig: { tools, ...choice } } : {}),
      ...withFields("inferenceConfig", inference.fields),
      ...output.fields,
      ...withFields("additionalModelRequestFields", reasoning.fields),
      ...withFields("guardrailConfig", writeGuardrail(target)),
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

function withFields(name: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length > 0 ? { [name]: fields } : {};
}

interface Inference {
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}

/** Temperature and top_p are at most 1 (Converse API reference, "InferenceConfiguration"). */
function planInference(request: ChatRequest, card: ModelCard, isDeep: boolean): Inference {
  const limit = clampOutputLimit(request, card, 1);
  const { temperature, top_p: topP, stop = [] } = request;
  const dropped = [...limit.changed];
  const fields: JsonObject = limit.tokens === undefined ? {} : { maxTokens: limit.tokens };
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
  // A sequence of white space alone is refused by some models.
  const stopSequences = stop.filter((sequence) => sequence.trim() !== "");
  if (stopSequences.length > 0) fields.stopSequences = stopSequences;
  if (stopSequences.length < stop.length) dropped.push("stop");
  return { fields, dropped };
}
