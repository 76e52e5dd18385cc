// The gateway's changes to a Responses request, passed on or translated: one row per field, with its reason.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import { explainShared, type LaneResult, LaneTable, OTHER_TIERS, REMOTE, refuseField } from "../lane.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";

export const BODY = new LaneTable(
  {
    previous_response_id:
      "Responses are not stored here: send the whole input, or ask the operator to set responses.keep.",
    conversation: explainShared("A conversation"),
    prompt: explainShared("A prompt"),
  },
  {
    service_tier: OTHER_TIERS,
    access_programs: "Access programs belong to the operator.",
    moderation: "The card has no price for it.",
  },
);

export const REASONING = new LaneTable({}, { mode: "Pro mode costs more than the card's price." });

/** Types of input items that refer to objects in the provider's account. */
const ITEMS = new LaneTable({
  item_reference:
    "Items are not stored here: send the item itself, as the AI SDK does with providerOptions.openai { store: false }, or ask the operator to set responses.keep.",
  image_generation_call:
    "Without a result, it refers to an image in the provider's account, which all clients share.",
});

/** Fields that name objects in the provider's account, at any depth of items and tools. */
export const NAMES = new LaneTable({
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

/** Schemas and arguments are the client's own; citations and results only quote. None of them names an object. */
const NOT_NAMES: ReadonlySet<string> = new Set([
  ...["parameters", "output_schema", "arguments", "annotations", "results"],
]);

/** Tools that are passed on. The provider runs the others, for which the card has no price: they are dropped. */
const PASSED_TOOLS =
  /^(function|custom|namespace|tool_search|local_shell|shell|apply_patch|computer(_use_preview)?)$/;
const SEARCH_TOOL = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
export const TOOLS = new LaneTable({ mcp: REMOTE, file_search: explainShared("A vector store") });
/** The limit of calls if the client sets none: without one, a provider may search endlessly. */
const TOOL_CALLS_DEFAULT = 5;

/** Item ids that the gateway made for translated answers. No provider knows them. */
const OWN_ITEM_ID = /^(msg|fc|ctc|rs)_pk1_/;

interface Findings {
  /** True if clients may name addresses for the provider to call. */
  readonly allowsRemote: boolean;
  readonly dropped: string[];
  /** The types of dropped tools. */
  readonly types: Set<string>;
  toolsKept: number;
  searches: boolean;
}

/** Returns the body as it may be sent. Throws the Fault `unsupported_parameter` for a refused field. */
export function applyLane(given: JsonObject, seal: Sealer, allowsRemote: boolean): LaneResult {
  const body: JsonObject = { ...given, store: false };
  if (given.background === true) throw refuseField("background", "Send the request without it.");
  delete body.background;
  const dropped = [
    ...BODY.removeFrom(body, allowsRemote),
    ...REASONING.removeWithin(body, "reasoning", allowsRemote),
  ];
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

/** Returns the tools that may be sent. Namespaces hold tools of their own. */
function applyTools(given: readonly unknown[], path: string, found: Findings): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const [index, one] of given.entries()) {
    const tool = asObject(one);
    const at = `${path}[${index}]`;
    const type = asString(tool.type) ?? "";
    const row = TOOLS.findRefusal(type, found.allowsRemote);
    if (row) throw refuseField(at, row.reason);
    if (type === "namespace") {
      kept.push({ ...tool, tools: applyTools(asArray(tool.tools), `${at}.tools`, found) });
      continue;
    }
    refuseNames(tool, at, found.allowsRemote);
    if (SEARCH_TOOL.test(type)) found.searches = true;
    // A shell in the provider's container is billed by the minute.
    const isHosted = asString(asObject(tool.environment).type)?.startsWith("container");
    const isAllowed = TOOLS.findRefusal(type, false) !== undefined;
    if (isAllowed || SEARCH_TOOL.test(type) || (PASSED_TOOLS.test(type) && !isHosted)) {
      kept.push(tool);
      found.toolsKept++;
    } else {
      found.dropped.push(at);
      found.types.add(type);
    }
  }
  return kept;
}

/** True if the choice names a dropped tool, or forces a call when no tools remain. */
function isDroppedChoice(choice: unknown, { types, toolsKept }: Findings): boolean {
  if (choice === undefined || types.size === 0) return false;
  return types.has(asString(asObject(choice).type) ?? "") || (toolsKept === 0 && isForced(choice));
}

/** True if the client demands a call. */
export function isForced(choice: unknown): boolean {
  return isObject(choice) || choice === "required";
}

/** Returns the items without reasoning that another provider made or that OpenAI has not encrypted. */
function applyItems(
  items: readonly unknown[],
  path: string,
  seal: Sealer,
  found: Findings,
): readonly JsonObject[] {
  // OpenAI recognises by id the items that belong to a reasoning item, and refuses them without it.
  let isBereft = false;
  return items.flatMap((one, index): readonly JsonObject[] => {
    const item = asObject(one);
    const at = `${path}[${index}]`;
    if (refersToItem(item) && asString(item.id)?.startsWith("rs_")) {
      // The AI SDK refers to thinking by id. The conversation means the same without it, so it is dropped.
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

/** True if an item refers to one of an earlier answer. A reference may omit its type. */
export function refersToItem({ type, role, id }: JsonObject): boolean {
  return type === "item_reference" || (type === undefined && role === undefined && id !== undefined);
}

function refuseItem(item: JsonObject, path: string, allowsRemote: boolean): void {
  const type = refersToItem(item) ? "item_reference" : item.type;
  const row = ITEMS.findRefusal(type, allowsRemote);
  if (row && !asString(item.result)) throw refuseField(path, row.reason);
  const { tools: _tools, ...rest } = item;
  refuseNames(rest, path, allowsRemote);
}

/** Returns an item without its id and without citations of files, which OpenAI may never have seen. */
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

/** Throws a Fault for the first field, at any depth, that the table lists. */
function refuseNames(value: unknown, path: string, allowsRemote: boolean): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseNames(one, `${path}[${index}]`, allowsRemote);
    return;
  }
  if (!isObject(value)) return;
  for (const field in value) {
    const held = value[field];
    if (held === null || held === undefined || NOT_NAMES.has(field)) continue;
    const row = NAMES.findRefusal(field, allowsRemote);
    const isName = typeof held === "string" ? held !== "" : Array.isArray(held) && held.length > 0;
    if (row && isName) throw refuseField(`${path}.${field}`, row.reason);
    if (typeof held === "object") refuseNames(held, `${path}.${field}`, allowsRemote);
  }
}
