// The gateway's changes to a Responses request, whether it is passed on or translated: one row per field, with its reason.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import {
  explainShared,
  type LaneResult,
  listRows,
  OTHER_TIERS,
  REMOTE,
  refuseField,
  takeOut,
} from "../lane.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";

/** Fields of the body. */
export const BODY_ROWS = listRows(
  {
    previous_response_id:
      "No response is kept here: send the whole input, or ask the operator for responses.keep.",
    conversation: explainShared("A conversation"),
    prompt: explainShared("A prompt"),
  },
  {
    service_tier: OTHER_TIERS,
    access_programs: "Programs are the operator's.",
    moderation: "The card has no price for it.",
  },
);

/** Fields of `reasoning`. */
export const REASONING_ROWS = listRows({}, { mode: "Pro mode costs more than the card's price." });

/** Types of input items that stand for what lies in the provider's account. */
export const ITEM_ROWS = listRows({
  item_reference:
    "No item is kept here: send the item itself, as the AI SDK does with providerOptions.openai { store: false }, or ask the operator for responses.keep.",
  image_generation_call:
    "Without its result it names an image in the provider's account, which all clients share.",
});

/** Fields that name what lies in the provider's account, at any depth of items and tools. */
export const NAME_ROWS = listRows({
  file_id: explainShared("A file"),
  file_ids: explainShared("A file"),
  container_id: explainShared("A container"),
  container: explainShared("A container"),
  vector_store_id: explainShared("A vector store"),
  vector_store_ids: explainShared("A vector store"),
  skill_id: explainShared("A skill"),
  server_url: REMOTE,
  connector_id: REMOTE,
  tunnel_id: REMOTE,
});

/** Schemas and arguments are the client's own, and citations and results only quote: nothing is looked up by them. */
const NOT_NAMES: ReadonlySet<string> = new Set([
  ...["parameters", "output_schema", "arguments", "annotations", "results"],
]);

/** Tools, by type. The others are dropped: the provider runs them, and the card has no price for that. */
const PASSED_TOOLS =
  /^(function|custom|namespace|tool_search|local_shell|shell|apply_patch|computer(_use_preview)?)$/;
const SEARCH_TOOL = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
export const TOOL_ROWS = listRows({ mcp: REMOTE, file_search: explainShared("A vector store") });
/** A provider that is left to itself searches without end: this many calls where the client named no number. */
const TOOL_CALLS_DEFAULT = 5;

/** Ids of items that we made up for translated answers: no provider knows them. */
const OWN_ITEM_ID = /^(msg|fc|ctc|rs)_pk1_/;

/** The findings on the way through a body. */
interface Findings {
  /** The operator lets clients name addresses that the provider calls. */
  readonly allowsRemote: boolean;
  readonly dropped: string[];
  /** The types of the tools that were left out. */
  readonly types: Set<string>;
  toolsKept: number;
  searches: boolean;
}

/** The body as it may leave. Throws the Fault `unsupported_parameter` that names a field of the table. */
export function applyLane(given: JsonObject, seal: Sealer, allowsRemote: boolean): LaneResult {
  const body: JsonObject = { ...given, store: false };
  if (given.background === true)
    throw refuseField("background", "An answer in the background is not kept here.");
  delete body.background;
  const dropped = takeOut(body, BODY_ROWS, allowsRemote);
  if (isObject(body.reasoning)) {
    const reasoning = { ...body.reasoning };
    dropped.push(...takeOut(reasoning, REASONING_ROWS, allowsRemote).map((field) => `reasoning.${field}`));
    body.reasoning = reasoning;
  }
  const found: Findings = { allowsRemote, dropped, types: new Set(), toolsKept: 0, searches: false };
  const tools = applyTools(asArray(body.tools), "tools", found);
  if (tools.length > 0) body.tools = tools;
  else if (asArray(body.tools).length > 0) delete body.tools;
  for (const field of ["instructions", "input"]) {
    const items = body[field];
    if (Array.isArray(items)) body[field] = applyItems(items, field, seal, found);
  }
  if (isDroppedChoice(body.tool_choice, found)) {
    delete body.tool_choice;
    dropped.push("tool_choice");
  }
  const searches = found.searches ? (asNumber(body.max_tool_calls) ?? TOOL_CALLS_DEFAULT) : 0;
  if (searches > 0) body.max_tool_calls = searches;
  return { body, dropped, searches };
}

/** The tools that may leave. Namespaces hold tools of their own. */
function applyTools(given: readonly unknown[], path: string, found: Findings): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const [index, one] of given.entries()) {
    const tool = asObject(one);
    const at = `${path}[${index}]`;
    const type = asString(tool.type) ?? "";
    const row = TOOL_ROWS.find(({ field }) => field === type);
    const isAllowed = row?.isRemote === true && found.allowsRemote;
    if (row && !isAllowed) throw refuseField(at, row.reason);
    if (type === "namespace") {
      kept.push({ ...tool, tools: applyTools(asArray(tool.tools), `${at}.tools`, found) });
      continue;
    }
    refuseNames(tool, at, found.allowsRemote);
    if (SEARCH_TOOL.test(type)) found.searches = true;
    const isPassed = SEARCH_TOOL.test(type) || (PASSED_TOOLS.test(type) && !isHosted(tool));
    if (isAllowed || isPassed) {
      kept.push(tool);
      found.toolsKept++;
    } else {
      found.dropped.push(at);
      found.types.add(type);
    }
  }
  return kept;
}

/** A shell in a container of the provider's, which is billed by the minute. */
function isHosted({ environment }: JsonObject): boolean {
  return asString(asObject(environment).type)?.startsWith("container") ?? false;
}

/** A choice among tools of which none is left, or of one that was left out. */
function isDroppedChoice(choice: unknown, { types, toolsKept }: Findings): boolean {
  if (choice === undefined || types.size === 0) return false;
  return types.has(asString(asObject(choice).type) ?? "") || (toolsKept === 0 && isForced(choice));
}

/** True where the client demands a call. */
export function isForced(choice: unknown): boolean {
  return isObject(choice) || choice === "required";
}

/** The items as OpenAI may get them: reasoning that another provider made, or that OpenAI has not encrypted, is left out. */
function applyItems(
  items: readonly unknown[],
  path: string,
  seal: Sealer,
  found: Findings,
): readonly JsonObject[] {
  // OpenAI knows by their ids which items belong to a reasoning item, and refuses them without it.
  let isBereft = false;
  return items.flatMap((one, index): readonly JsonObject[] => {
    const item = asObject(one);
    const at = `${path}[${index}]`;
    if (refersToItem(item) && asString(item.id)?.startsWith("rs_")) {
      // The AI SDK refers to thinking by its id. Without it the conversation means the same, so it is left out.
      found.dropped.push(at);
      isBereft = true;
      return [];
    }
    refuseItem(item, at, found.allowsRemote);
    if (item.type === "reasoning") {
      const restored = restoreReasoning(item, seal);
      isBereft = restored.length === 0;
      return restored;
    }
    if (item.role === "user") isBereft = false;
    const own = Array.isArray(item.tools)
      ? { ...item, tools: applyTools(item.tools, `${at}.tools`, found) }
      : item;
    return [isBereft || OWN_ITEM_ID.test(asString(item.id) ?? "") ? withoutId(own) : own];
  });
}

/** True for an item that stands for one of an earlier answer. It needs no type. */
function refersToItem({ type, role, id }: JsonObject): boolean {
  return type === "item_reference" || (type === undefined && role === undefined && id !== undefined);
}

function refuseItem(item: JsonObject, path: string, allowsRemote: boolean): void {
  const type = refersToItem(item) ? "item_reference" : item.type;
  const row = ITEM_ROWS.find(({ field }) => field === type);
  if (row && !asString(item.result)) throw refuseField(path, row.reason);
  const { tools: _tools, ...rest } = item;
  refuseNames(rest, path, allowsRemote);
}

/** An item without its id, and without citations of files, which OpenAI may never have seen. */
function withoutId({ id: _id, ...item }: JsonObject): JsonObject {
  if (item.role !== "assistant" || !Array.isArray(item.content)) return item;
  const content = item.content.map((one) => {
    const part = asObject(one);
    if (!Array.isArray(part.annotations)) return one;
    const pages = part.annotations.filter((annotation) => asObject(annotation).type === "url_citation");
    return { ...part, annotations: pages };
  });
  return { ...item, content };
}

function restoreReasoning(item: JsonObject, seal: Sealer): readonly JsonObject[] {
  const sealed = asString(item.encrypted_content) ?? "";
  if (sealed === "") return [];
  if (!isOurSignature(sealed)) return [item];
  const details = openSignature(seal, "", sealed) ?? [];
  const own = details.find(({ format, data }) => format === RESPONSES_FORMAT && data !== undefined);
  if (!own) return [];
  const { id: _id, ...rest } = item;
  return [{ ...rest, ...(own.id ? { id: own.id } : {}), encrypted_content: own.data }];
}

/** Throws the Fault of the first field of the table, at any depth. */
function refuseNames(value: unknown, path: string, allowsRemote: boolean): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseNames(one, `${path}[${index}]`, allowsRemote);
    return;
  }
  if (!isObject(value)) return;
  for (const field in value) {
    const held = value[field];
    if (held === null || held === undefined || NOT_NAMES.has(field)) continue;
    const row = NAME_ROWS.find((one) => one.field === field && !(one.isRemote && allowsRemote));
    const isName = typeof held === "string" ? held !== "" : Array.isArray(held) && held.length > 0;
    if (row && isName) throw refuseField(`${path}.${field}`, row.reason);
    if (typeof held === "object") refuseNames(held, `${path}.${field}`, allowsRemote);
  }
}
