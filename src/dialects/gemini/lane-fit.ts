// Leaves out of a client's own generateContent request what the card's model refuses, by the same table as in translation.

import { asArray, asObject, changeFields, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Target } from "../../core/models/dialect.ts";
import { GO_ON } from "./contents.ts";
import { findFacts, type GeminiModelFacts, isKnownModel, isVertex } from "./models.ts";
import { adaptThinking } from "./thinking.ts";

/** A client's own body with some fields changed, and their names. */
interface FittedBody {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** Only some models take these. */
const SCORING = ["presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs"] as const;

/** Returns the body as the model takes it: the same object if nothing is refused. */
export function fitToModel(body: JsonObject, card: ModelCard, { mends, baseUrl }: Target): FittedBody {
  if (mends === undefined) return { body, dropped: [] };
  const facts = findFacts(card);
  const isChosen = mends === "refused";
  const isKnown = isChosen || isKnownModel(card);
  const config = asObject(body.generationConfig);
  const changes = listRefused(config, facts, isKnown, isVertex(baseUrl));
  if (isKnown || card.refuses !== undefined) Object.assign(changes, fitThinking(config, facts));
  const dropped = Object.keys(changes).map((field) => `generationConfig.${field}`);
  const contents = isChosen ? endWithUser(body, facts) : null;
  if (dropped.length === 0 && contents === null) return { body, dropped };
  const fitted: JsonObject = dropped.length === 0 ? {} : { generationConfig: changeFields(config, changes) };
  if (contents === null) return { body: changeFields(body, fitted), dropped };
  return { body: changeFields(body, { ...fitted, contents }), dropped: [...dropped, "contents"] };
}

/** Returns the fields of the config that the model refuses, each without a value. */
function listRefused(
  config: JsonObject,
  facts: GeminiModelFacts,
  isKnown: boolean,
  vertex: boolean,
): JsonObject {
  const isScored = facts.scoring === "everywhere" || (facts.scoring === "vertex" && vertex);
  const refused = [
    ...(facts.temperature ? [] : ["temperature"]),
    ...(facts.topP ? [] : ["topP"]),
    ...(facts.topK ? [] : ["topK"]),
    ...(isScored || !isKnown ? [] : SCORING),
  ];
  const given = refused.filter((field) => config[field] ?? false);
  return Object.fromEntries(given.map((field) => [field, undefined]));
}

function fitThinking({ thinkingConfig: given }: JsonObject, { thinking }: GeminiModelFacts): JsonObject {
  if (!isObject(given)) return {};
  const fitted = adaptThinking(given, thinking);
  return fitted === given ? {} : { thinkingConfig: fitted };
}

/** Asks in words for the rest of an answer that the client began. Null if nothing changes. */
function endWithUser(
  { contents: given }: JsonObject,
  { prefill }: GeminiModelFacts,
): readonly unknown[] | null {
  const contents = asArray(given);
  const { role, parts } = asObject(contents.at(-1));
  const isText = typeof asObject(asArray(parts).at(-1)).text === "string";
  if (prefill || role !== "model" || !isText) return null;
  return [...contents, { role: "user", parts: [{ text: GO_ON }] }];
}
