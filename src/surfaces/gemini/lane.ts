// The gateway's changes to a generateContent request, whether it is passed on or translated: one row per field, with its reason.

import { asArray, asObject, asString, type JsonObject } from "../../core/json.ts";
import {
  explainShared,
  type LaneResult,
  listRows,
  OTHER_TIERS,
  REMOTE,
  refuseField,
  takeOut,
} from "../lane.ts";
import { isOurSignature } from "../signature.ts";
import { listParts } from "./contents.ts";
import { readSignature } from "./signature.ts";

/** Fields of the body. */
export const BODY_ROWS = listRows(
  { cachedContent: explainShared("A cache"), cached_content: explainShared("A cache") },
  {
    serviceTier: OTHER_TIERS,
    service_tier: OTHER_TIERS,
    labels: "Labels are for the operator's bill.",
  },
);

/** Tools, by their field. The others are dropped: the provider runs them, and the card has no price for that. */
export const TOOL_ROWS = listRows({
  fileSearch: explainShared("A file store"),
  mcpServers: REMOTE,
  retrieval: explainShared("A data store"),
});
const PASSED_TOOL = "functionDeclarations";
const SEARCH_TOOLS: ReadonlySet<string> = new Set(["googleSearch", "googleSearchRetrieval"]);

/** Files that were uploaded to the provider; other addresses are fetched by it as an image's URL is. */
const ACCOUNT_FILE = /^(files\/|gs:|https:\/\/generativelanguage\.googleapis\.com\/)/i;
/** As many searches as one prompt is billed for (ai.google.dev/gemini-api/docs/pricing). */
const SEARCHES = 1;

/** The body as it may leave. Throws the Fault `unsupported_parameter` that names a field of the table. */
export function applyLane(given: JsonObject): LaneResult {
  const body: JsonObject = { ...given };
  const dropped = takeOut(body, BODY_ROWS, false);
  let searches = 0;
  const tools = asArray(body.tools).map((one, index) => {
    const kept: JsonObject = {};
    for (const [field, value] of Object.entries(asObject(one))) {
      const path = `tools[${index}].${field}`;
      const name = toCamelCase(field);
      const row = TOOL_ROWS.find((known) => known.field === name);
      if (row) throw refuseField(path, row.reason);
      if (SEARCH_TOOLS.has(name)) searches = SEARCHES;
      if (name === PASSED_TOOL || SEARCH_TOOLS.has(name)) kept[field] = value;
      else dropped.push(path);
    }
    return kept;
  });
  const used = tools.filter((tool) => Object.keys(tool).length > 0);
  if (used.length > 0) body.tools = used;
  else if (tools.length > 0) delete body.tools;
  if (body.contents !== undefined) body.contents = asArray(body.contents).map(applyContent);
  return { body, dropped, searches };
}

/** The API takes every name in either spelling. */
function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function applyContent(one: unknown, index: number): JsonObject {
  const content = asObject(one);
  if (content.parts === undefined) return content;
  const parts = listParts(content.parts).map((given, at) => {
    const part = asObject(given);
    const uri = asString(
      asObject(part.fileData ?? part.file_data).fileUri ?? asObject(part.file_data).file_uri,
    );
    if (uri !== undefined && ACCOUNT_FILE.test(uri)) {
      throw refuseField(`contents[${index}].parts[${at}].fileData`, explainShared("A file"));
    }
    if (!isOurSignature(readSignature(part.thoughtSignature ?? part.thought_signature))) return part;
    // Thinking that another provider made.
    const { thoughtSignature: _signature, thought_signature: _snake, ...rest } = part;
    return rest;
  });
  return { ...content, parts: parts.filter((part) => Object.keys(part).length > 0) };
}
