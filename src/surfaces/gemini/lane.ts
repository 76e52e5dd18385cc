// The gateway's changes to a generateContent request, passed on or translated: one row per field, with its reason.

import { asArray, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { ACCOUNT_FILE } from "../../operations/chat/needs.ts";
import { explainShared, type LaneResult, LaneTable, OTHER_TIERS, REMOTE, refuseField } from "../lane.ts";
import { isOurSignature } from "../signature.ts";
import { listParts } from "./contents.ts";
import { readSignature } from "./signature.ts";

export const BODY = new LaneTable(
  { cachedContent: explainShared("A cache") },
  {
    serviceTier: OTHER_TIERS,
    labels: "Labels appear on the operator's bill.",
    store: "The operator decides what is logged.",
  },
);

const OTHER_MODEL = "Another model has a different price.";
const CONFIG = new LaneTable(
  {},
  { routingConfig: OTHER_MODEL, modelConfig: OTHER_MODEL, modelSelectionConfig: OTHER_MODEL },
);

/** Refused tools, by field. Other tools that the provider runs are dropped, since the card has no price for them. */
const TOOLS = new LaneTable({
  fileSearch: explainShared("A file store"),
  mcpServers: REMOTE,
  retrieval: explainShared("A data store"),
});
const PASSED_TOOL = "functionDeclarations";
const SEARCH_TOOLS: ReadonlySet<string> = new Set(["googleSearch", "googleSearchRetrieval"]);

const FILE_FIELDS: ReadonlySet<string> = new Set(["fileUri", "file_uri"]);
/** The client's own: a field of those names in it refers to nothing. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["args", "response"]);
/** The model decides how many queries it makes, each of which is billed (ai.google.dev/gemini-api/docs/pricing). */
const SEARCHES = 5;

/** Returns the body, in the documented spelling, as it may be sent. Throws the Fault `unsupported_parameter` for a refused field. */
export function applyLane(given: JsonObject): LaneResult {
  // The URL names the model.
  const { model: _model, ...body } = given;
  const dropped = [...BODY.removeFrom(body, false), ...CONFIG.removeWithin(body, "generationConfig", false)];
  let searches = 0;
  const tools = asArray(body.tools).map((one, index) => {
    const kept: JsonObject = {};
    for (const [field, value] of Object.entries(asObject(one))) {
      const path = `tools[${index}].${field}`;
      const row = TOOLS.findRefusal(field, false);
      if (row) throw refuseField(path, row.reason);
      if (SEARCH_TOOLS.has(field)) searches = SEARCHES;
      if (field === PASSED_TOOL || SEARCH_TOOLS.has(field)) kept[field] = value;
      else dropped.push(path);
    }
    return kept;
  });
  const used = tools.filter((tool) => Object.keys(tool).length > 0);
  if (used.length > 0) body.tools = used;
  else if (tools.length > 0) delete body.tools;
  refuseFiles(body.contents, "contents");
  refuseFiles(body.systemInstruction, "systemInstruction");
  if (body.contents !== undefined) body.contents = asArray(body.contents).map(applyContent);
  return { body, dropped, searches };
}

/** Throws a Fault for a file in the provider's account, in either spelling and at any depth, as in a tool's result. */
function refuseFiles(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseFiles(one, `${path}[${index}]`);
    return;
  }
  if (!isObject(value)) return;
  for (const field in value) {
    const held = value[field];
    if (FILE_FIELDS.has(field) && ACCOUNT_FILE.test(String(held)))
      throw refuseField(path, explainShared("A file"));
    if (typeof held === "object" && !OWN_FIELDS.has(field)) refuseFiles(held, `${path}.${field}`);
  }
}

function applyContent(one: unknown): JsonObject {
  const content = asObject(one);
  if (content.parts === undefined) return content;
  const parts = listParts(content.parts).map((given) => {
    const part = asObject(given);
    if (!isOurSignature(readSignature(part.thoughtSignature ?? part.thought_signature))) return part;
    // A signature of ours holds another provider's thinking.
    const { thoughtSignature: _signature, thought_signature: _snake, ...rest } = part;
    return rest;
  });
  return { ...content, parts: parts.filter((part) => Object.keys(part).length > 0) };
}
