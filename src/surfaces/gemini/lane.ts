// The gateway's changes to a generateContent request, passed on or translated: one row per field, with its reason.

import { asArray, asObject, asString, type JsonObject } from "../../core/json.ts";
import { explainShared, type LaneResult, LaneTable, OTHER_TIERS, REMOTE, refuseField } from "../lane.ts";
import { isOurSignature } from "../signature.ts";
import { listParts } from "./contents.ts";
import { readSignature } from "./signature.ts";

export const BODY = new LaneTable(
  { cachedContent: explainShared("A cache"), cached_content: explainShared("A cache") },
  {
    serviceTier: OTHER_TIERS,
    service_tier: OTHER_TIERS,
    labels: "Labels appear on the operator's bill.",
  },
);

/** Refused tools, by field. Other tools that the provider runs are dropped, since the card has no price for them. */
const TOOLS = new LaneTable({
  fileSearch: explainShared("A file store"),
  mcpServers: REMOTE,
  retrieval: explainShared("A data store"),
});
const PASSED_TOOL = "functionDeclarations";
const SEARCH_TOOLS: ReadonlySet<string> = new Set(["googleSearch", "googleSearchRetrieval"]);

/** Files uploaded to the provider. It fetches other addresses just as it fetches an image's URL. */
const ACCOUNT_FILE = /^(files\/|gs:|https:\/\/generativelanguage\.googleapis\.com\/)/i;
/** One prompt is billed as this many searches (ai.google.dev/gemini-api/docs/pricing). */
const SEARCHES = 1;

/** Returns the body as it may be sent. Throws the Fault `unsupported_parameter` for a refused field. */
export function applyLane(given: JsonObject): LaneResult {
  const body: JsonObject = { ...given };
  const dropped = BODY.removeFrom(body, false);
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
  if (body.contents !== undefined) body.contents = asArray(body.contents).map(applyContent);
  return { body, dropped, searches };
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
    // A signature of ours holds another provider's thinking.
    const { thoughtSignature: _signature, thought_signature: _snake, ...rest } = part;
    return rest;
  });
  return { ...content, parts: parts.filter((part) => Object.keys(part).length > 0) };
}
