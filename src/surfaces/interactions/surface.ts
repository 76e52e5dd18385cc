// Google's Interactions API on every chat model: typed steps in and out, and state by id.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatMessage, ChatRequest } from "../../operations/chat/form.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { Checker, checkModelName, readFields, refuseLongList } from "../checker.ts";
import { explainInstructions, explainShared, refuseField } from "../lane.ts";
import { listFields, listLostFields, type ReadFields, readWhole } from "../lost-fields.ts";
import { explainMissing } from "../misplaced.ts";
import { namePlaces } from "../places.ts";
import { nameSearch } from "../search.ts";
import { type Exchange, type Incoming, type Surface, TRANSLATED } from "../surface.ts";
import { type InteractionContext, writeInteraction } from "./answer.ts";
import { refuse } from "./errors.ts";
import { readSteps } from "./input.ts";
import { interactionSchema } from "./schema.ts";
import { NAMES, READ_CONFIG, readConfig, readFormat, readLabels, readSafety } from "./settings.ts";
import { joinSteps } from "./steps.ts";
import { findEarlier, listEarlier, makeKept } from "./stored.ts";
import { INTERACTION_TEXTS } from "./texts.ts";
import { readTools } from "./tools.ts";
import { InteractionWriter } from "./writer.ts";

const CREATE = new Checker(interactionSchema);

const READ_FIELDS: ReadFields = {
  ...readWhole("model", "input", "system_instruction", "tools", "response_format", "response_mime_type"),
  ...readWhole("response_modalities", "previous_interaction_id", "store", "stream", "background", "labels"),
  ...readWhole("safety_settings"),
  generation_config: READ_CONFIG,
};

const AGENT = "Agents run in the provider's account. Name a 'model', and run the agent's loop on your side.";

/** Fields that are refused, since an answer without them would be another one. */
const REFUSED: Readonly<Record<string, string>> = {
  agent: AGENT,
  agent_config: AGENT,
  environment: `${explainShared("An environment")} Run code and tools on your side, as functions.`,
  cached_content: `${explainShared("A cache")} Send the content itself: providers cache prompts by themselves.`,
  ...explainInstructions("system_instruction"),
  continuation_token: `${explainShared("A continued answer")} Send the conversation as steps in 'input'.`,
};

export const INTERACTIONS: Surface<ChatForm> = {
  name: "interactions",
  family: "gemini",
  operation: CHAT,
  idPrefix: "int_",
  fields: new Set([...listFields(interactionSchema, READ_FIELDS), ...Object.keys(REFUSED)]),
  read: readExchange,
  refuse,
  findEarlier,
  explainsMissing: true,
};

function readExchange({ body, limits, seal, keeping }: Incoming): Exchange<ChatForm> {
  const fields = readFields(body);
  refuseFields(fields);
  const given: JsonObject = CREATE.check(fields, "input", limits.messagesMax);
  checkModelName(given.model);
  refuseEmpty(given.input);
  const { previous_interaction_id: previous, input, store } = given;
  const earlier = listEarlier(asString(previous), keeping, input);
  const placed = joinSteps(earlier, input);
  refuseLongList(placed, limits.messagesMax, "input");
  const read = readSteps(placed, seal);
  const tools = readTools(given, limits.remoteTools === true);
  const format = readFormat(given);
  const config = asObject(given.generation_config);
  const ask: ChatRequest = omitUndefined({
    model: (asString(given.model) ?? "").replace(/^models\//, ""),
    messages: [...readSystem(given.system_instruction), ...read.messages],
    ...readConfig(config),
    stream: given.stream === true ? true : undefined,
    ...tools.fields,
    response_format: format.format,
    metadata: readLabels(given.labels),
    safety_settings: readSafety(given.safety_settings),
  });
  const keeps = keeping !== null && store !== false;
  const isUnkept = store === true && !keeps;
  const context: InteractionContext = {
    seal,
    showsThoughts: config.thinking_summaries === "auto",
    previousId: asString(previous),
  };
  return {
    ...TRANSLATED,
    ask,
    names: { ...NAMES, ...nameSearch(tools.searchPath, {}), ...namePlaces(ask) },
    dropped: isUnkept ? ["store", ...tools.dropped] : tools.dropped,
    lost: [...listLostFields(given, READ_FIELDS), ...format.lost, ...read.lost],
    ...(keeps ? { kept: { body: { earlier, input }, texts: INTERACTION_TEXTS }, keep: makeKept } : {}),
    whole: (reply, stamp) => writeInteraction(reply, stamp, context),
    writer: (stamp) => new InteractionWriter(stamp, context),
  };
}

function refuseFields(given: JsonObject): void {
  for (const [field, reason] of Object.entries(REFUSED))
    if (given[field] !== undefined) throw refuseField(field, reason);
  if (given.background === true) {
    const reason = "Send the request without it, with 'stream: true' for an answer that takes long.";
    throw refuseField("background", reason);
  }
  if (given.input === undefined)
    throw explainMissing(missingParameter("input"), given, interactionSchema.properties);
}

function refuseEmpty(input: unknown): void {
  if (!Array.isArray(input) || asArray(input).length > 0) return;
  const message = "Invalid 'input': empty array. Expected at least 1 element.";
  throw new Fault("empty_array", message, { param: "input" });
}

function readSystem(instruction: unknown): readonly ChatMessage[] {
  return typeof instruction === "string" && instruction !== ""
    ? [{ role: "system", content: instruction }]
    : [];
}
