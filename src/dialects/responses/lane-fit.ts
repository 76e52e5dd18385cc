// Leaves out of a client's own Responses request what the card's model refuses, by the same table as in translation.

import { asArray, asObject, changeFields, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending } from "../../core/models/dialect.ts";
import {
  chooseEffort,
  EFFORTS,
  findFacts,
  type ModelFacts,
  refusesSampling,
  takesSampling,
} from "./models.ts";

/** A client's own body with some fields changed, and their names. */
interface FittedResponses {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** The API's defaults are taken even where the field isn't ("Only the default (1) value is supported"). */
const DEFAULTS: JsonObject = { temperature: 1, top_p: 1, top_logprobs: 0 };
/** The item of `include` that asks for log probabilities. */
const LOGPROBS = "message.output_text.logprobs";
const VERBOSITY_DEFAULT = "medium";

/** Returns the body as the model takes it: the same object if nothing is refused. */
export function fitToModel(body: JsonObject, card: ModelCard, mends: Mending | undefined): FittedResponses {
  if (mends === undefined) return { body, dropped: [] };
  const facts = findFacts(card);
  const isKnown = facts.isSure || mends === "refused";
  const changes: JsonObject = {};
  const dropped: string[] = [];
  if (isKnown || card.refuses !== undefined) fitReasoning(body, facts, changes, dropped);
  const { effort } = asObject("reasoning" in changes ? changes.reasoning : body.reasoning);
  const isSilenced = isKnown && refusesSampling(facts, effort ?? undefined);
  for (const field of ["temperature", "top_p"] as const) {
    const isHarmless = mends !== "refused" && body[field] === DEFAULTS[field];
    if (!isSet(body[field]) || isHarmless || takesSampling(facts, field, isSilenced)) continue;
    changes[field] = undefined;
    dropped.push(field);
  }
  if (isSilenced) leaveOutScores(body, changes, dropped);
  if (isKnown && !facts.verbosity) leaveOutVerbosity(body, changes, dropped);
  return { body: changeFields(body, changes), dropped };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Moves the effort to one that the model has. A level that the gateway doesn't know stays. */
function fitReasoning(body: JsonObject, facts: ModelFacts, changes: JsonObject, dropped: string[]): void {
  const reasoning = asObject(body.reasoning);
  if (facts.reasons === false) {
    if (!Object.values(reasoning).some(isSet)) return;
    changes.reasoning = undefined;
    dropped.push("reasoning");
    return;
  }
  const asked = EFFORTS.find((effort) => effort === reasoning.effort);
  const effort = asked && chooseEffort(asked, facts);
  if (effort === asked) return;
  const left = changeFields(reasoning, { effort });
  changes.reasoning = Object.keys(left).length === 0 ? undefined : left;
  dropped.push("reasoning.effort");
}

function leaveOutScores(body: JsonObject, changes: JsonObject, dropped: string[]): void {
  if (isSet(body.top_logprobs) && body.top_logprobs !== DEFAULTS.top_logprobs) {
    changes.top_logprobs = undefined;
    dropped.push("top_logprobs");
  }
  const include = asArray(body.include);
  if (!include.includes(LOGPROBS)) return;
  changes.include = include.filter((one) => one !== LOGPROBS);
  dropped.push("include");
}

function leaveOutVerbosity(body: JsonObject, changes: JsonObject, dropped: string[]): void {
  const text = asObject(body.text);
  if (!isSet(text.verbosity) || text.verbosity === VERBOSITY_DEFAULT) return;
  const left = changeFields(text, { verbosity: undefined });
  changes.text = Object.keys(left).length === 0 ? undefined : left;
  dropped.push("text.verbosity");
}
