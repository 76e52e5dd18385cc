// Leaves out of a client's own Messages request what the card's model refuses, by the same table as in translation.

import {
  asArray,
  asNumber,
  asObject,
  changeFields,
  isObject,
  type JsonObject,
} from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending, Target } from "../../core/models/dialect.ts";
import { joinLists, NONE } from "../../operations/form.ts";
import { foldToolBlocks } from "./added-tools.ts";
import { CONTINUE, THINKING_TOP_P_MIN } from "./encode.ts";
import { placeNotes } from "./lane-system.ts";
import { type ThinkingPlan, turnOff } from "./lane-thinking.ts";
import { EFFORTS, type Effort, findLaneTraits, learnTraits, type Traits } from "./models.ts";
import { makeBudget } from "./thinking.ts";

/** The API's defaults are taken even where the field isn't. */
const DEFAULTS: JsonObject = { temperature: 1, top_p: 1 };
/** The effort of a request that names none ("Effort"). */
const EFFORT_DEFAULT: Effort = "high";

/** Returns the body as the model takes it: the same object if nothing is refused. `outputTokensMax` bounds the answer. */
export function fitToModel(
  given: JsonObject,
  card: ModelCard,
  { mends, refuses }: Pick<Target, "mends" | "refuses">,
  outputTokensMax: number,
): ThinkingPlan {
  if (mends === undefined) return { body: given, dropped: NONE };
  const asked = learnTraits(findLaneTraits(card, mends), refuses);
  const folded = asked.lateTools ? given : foldToolBlocks(given);
  const body = asked.lateSystem ? folded : placeNotes(folded);
  const thinking = fitThinking(body, asked, outputTokensMax);
  const thought = thinking?.body ?? body;
  const traits = mends === "refused" && isThinking(thought) ? whileThinking(asked, body) : asked;
  const sampling = fitSampling(thought, traits, mends);
  const sampled = sampling?.body ?? thought;
  const effort = fitEffort(sampled, traits);
  const tried = effort?.body ?? sampled;
  const ending = mends === "refused" ? endWithUser(tried, traits) : null;
  const dropped = joinLists(
    listDropped(sampling),
    listDropped(thinking),
    listDropped(effort),
    listDropped(ending),
  );
  return { body: ending?.body ?? tried, dropped };
}

function listDropped(plan: ThinkingPlan | null): readonly string[] {
  return plan?.dropped ?? NONE;
}

function isThinking({ thinking }: JsonObject): boolean {
  const { type } = asObject(thinking);
  return type === "enabled" || type === "adaptive";
}

/** Returns what a model takes of the body's values beside thinking. */
function whileThinking(traits: Traits, { temperature, top_p: topP }: JsonObject): Traits {
  if (!traits.thinksAlone) return traits;
  return {
    ...traits,
    temperature: traits.temperature && temperature === DEFAULTS.temperature,
    topP: traits.topP && (asNumber(topP) ?? 0) >= THINKING_TOP_P_MIN,
    topK: false,
    prefill: false,
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Like those below, null if the body stays as it is. */
function fitSampling(body: JsonObject, traits: Traits, mends: Mending): ThinkingPlan | null {
  const { temperature, top_p: topP, top_k: topK } = body;
  if ((temperature ?? topP ?? topK ?? undefined) === undefined) return null;
  const isSecond = traits.temperature && !traits.samplingPair && isSet(temperature);
  const dropped: string[] = [];
  if (!traits.temperature && isHarmful(body, "temperature", mends)) dropped.push("temperature");
  if ((!traits.topP || isSecond) && isHarmful(body, "top_p", mends)) dropped.push("top_p");
  if (!traits.topK && isHarmful(body, "top_k", mends)) dropped.push("top_k");
  if (dropped.length === 0) return null;
  return {
    body: changeFields(body, Object.fromEntries(dropped.map((field) => [field, undefined]))),
    dropped,
  };
}

/** True if a field that the model doesn't take is set to another value than the API's own. */
function isHarmful(body: JsonObject, field: string, mends: Mending): boolean {
  return isSet(body[field]) && (mends === "refused" || body[field] !== DEFAULTS[field]);
}

/** Moves the client's form of thinking to the model's own. */
function fitThinking(body: JsonObject, traits: Traits, outputTokensMax: number): ThinkingPlan | null {
  const { thinking } = body;
  if (!isObject(thinking)) return null;
  switch (thinking.type) {
    case "enabled":
      return traits.budgets ? null : thinkAdaptively(body, thinking, traits);
    case "adaptive":
      return traits.thinking === "adaptive" ? null : thinkByBudget(body, traits, outputTokensMax);
    case "disabled":
      return traits.off === "never" || traits.off === "between_tools" ? thinkLess(body, traits) : null;
    case "between_tools":
      return traits.off === "between_tools" || traits.off === "any" ? null : thinkLess(body, traits);
    default:
      return null;
  }
}

function thinkAdaptively(body: JsonObject, { display }: JsonObject, traits: Traits): ThinkingPlan {
  if (traits.thinking !== "adaptive") return turnOff(body, undefined);
  // Without `display`, newer models return thinking blocks with empty text.
  const shown = display ?? (traits.hidesThinking ? "summarized" : undefined);
  const thinking = { type: "adaptive", ...(shown === undefined ? {} : { display: shown }) };
  return { body: changeFields(body, { thinking }), dropped: ["thinking"] };
}

function thinkByBudget(body: JsonObject, traits: Traits, outputTokensMax: number): ThinkingPlan {
  if (traits.thinking !== "budget") return turnOff(body, undefined);
  const limit = Math.min(asNumber(body.max_tokens) ?? outputTokensMax, outputTokensMax);
  const thinking = makeBudget(findEffort(asObject(body.output_config).effort) ?? EFFORT_DEFAULT, limit);
  if (thinking === null) return turnOff(body, undefined);
  return { body: changeFields(body, { thinking }), dropped: ["thinking"] };
}

/** Turns thinking off as far as the model can. */
function thinkLess(body: JsonObject, { off, efforts }: Traits): ThinkingPlan {
  if (off !== "never") return turnOff(body, { type: off === "between_tools" ? off : "disabled" });
  const { body: left, dropped } = turnOff(body, undefined);
  const [effort] = efforts;
  if (effort === undefined) return { body: left, dropped };
  return {
    body: changeFields(left, { output_config: { ...asObject(body.output_config), effort } }),
    dropped,
  };
}

function findEffort(value: unknown): Effort | undefined {
  return EFFORTS.find((effort) => effort === value);
}

/** Lowers the effort to one that the model takes. A level that the gateway doesn't know stays. */
function fitEffort(body: JsonObject, traits: Traits): ThinkingPlan | null {
  const config = asObject(body.output_config);
  return isSet(config.effort) ? lowerEffort(body, config, traits) : null;
}

function lowerEffort(
  body: JsonObject,
  config: JsonObject,
  { efforts, quietEffort }: Traits,
): ThinkingPlan | null {
  const asked = findEffort(config.effort);
  if (asked === undefined && efforts.length > 0) return null;
  const isQuiet = asObject(body.thinking).type === "disabled" && quietEffort !== null;
  const most = isQuiet ? EFFORTS.indexOf(quietEffort) : EFFORTS.length;
  const rank = asked === undefined ? 0 : Math.min(EFFORTS.indexOf(asked), most);
  const effort = efforts.findLast((one) => EFFORTS.indexOf(one) <= rank) ?? efforts[0];
  if (effort === config.effort) return null;
  const fitted = changeFields(config, { effort });
  const output_config = Object.keys(fitted).length === 0 ? undefined : fitted;
  return { body: changeFields(body, { output_config }), dropped: ["output_config.effort"] };
}

/** Asks in words for the rest of an answer that the client began. A turn that the provider paused is left as it is. */
function endWithUser(body: JsonObject, { prefill }: Traits): ThinkingPlan | null {
  const messages = asArray(body.messages);
  const last = asObject(messages.at(-1));
  if (prefill || last.role !== "assistant") return null;
  const isText = typeof last.content === "string" || asObject(asArray(last.content).at(-1)).type === "text";
  if (!isText) return null;
  const turn = { role: "user", content: [{ type: "text", text: CONTINUE }] };
  return { body: changeFields(body, { messages: [...messages, turn] }), dropped: ["messages"] };
}
