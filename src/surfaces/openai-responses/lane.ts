// The gateway's changes to a Responses request, passed on or translated: one row per field, with its reason.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { mapList } from "../../operations/text-json.ts";
import { type LaneRules, passes, refuseUnknown } from "../known.ts";
import {
  explainInstructions,
  explainShared,
  type LaneResult,
  LaneTable,
  OTHER_TIERS,
  REMOTE,
  refuseDemand,
  refuseField,
} from "../lane.ts";
import { type Path, rewriteBody, type Visitor } from "../raw-body.ts";
import { GRAMMAR, ITEMS, type Kind, OWN_FORMS, SEARCH_TOOLS, TOOLS } from "./known.ts";
import { isSealedReasoning, restoreReasoning } from "./sealed-reasoning.ts";

export const BODY = new LaneTable(
  {
    previous_response_id:
      "Responses are not stored here: send the whole input, or ask the operator to set responses.keep.",
    conversation: explainShared("A conversation"),
    prompt: explainShared("A prompt"),
    ...explainInstructions("instructions"),
  },
  {
    service_tier: OTHER_TIERS,
    access_programs: "Access programs belong to the operator.",
    moderation: "The card has no price for it.",
    background_options: "Nothing runs in the background here, and its window changes the price.",
  },
);

export const REASONING = new LaneTable({}, { mode: "Pro mode costs more than the card's price." });

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

const CACHE_FIELDS: ReadonlySet<string> = new Set(["prompt_cache_options", "prompt_cache_breakpoint"]);
const SEARCHES: ReadonlySet<string> = new Set(SEARCH_TOOLS);
/** The limit of calls if the client sets none: without one, a provider may search endlessly. */
const TOOL_CALLS_DEFAULT = 5;

/** Item ids that the gateway made for translated answers. No provider knows them. */
const OWN_ITEM_ID = /^(msg|fc|ctc|rs|ws|cmp)_pk1_/;

/** Returns the body as it may be sent. Throws a Fault for what is refused. */
export function applyLane(given: JsonObject, seal: Sealer, rules: LaneRules): LaneResult {
  const fields: JsonObject = { ...given, store: false };
  if (given.background === true) throw refuseField("background", "Send the request without it.");
  delete fields.background;
  const dropped = [...BODY.removeFrom(fields, false), ...REASONING.removeWithin(fields, "reasoning", false)];
  const found = new Findings(rules, seal, dropped, listAsides(fields.input));
  const body = { ...rewriteBody(GRAMMAR, "body", fields, found) };
  if (asArray(body.tools).length === 0 && asArray(given.tools).length > 0) delete body.tools;
  if (found.isDropped(body.tool_choice)) {
    if (isForced(body.tool_choice)) throw refuseDemand();
    delete body.tool_choice;
    dropped.push("tool_choice");
  }
  const choice = keepOffered(body.tool_choice, body);
  if (choice !== body.tool_choice) {
    if (choice === undefined) delete body.tool_choice;
    else body.tool_choice = choice;
    dropped.push("tool_choice");
  }
  const searches = found.searches ? (asNumber(body.max_tool_calls) ?? TOOL_CALLS_DEFAULT) : 0;
  if (searches > 0) body.max_tool_calls = searches;
  return { body, dropped, searches, cachesLong: found.cachesLong };
}

/** Types of choices that name a tool of the client's. */
const OWN_CHOICES: ReadonlySet<unknown> = new Set(["function", "custom"]);

/**
 * Returns a choice without tools that the request doesn't have: each would be a second definition, such as an `mcp` server with
 * its URL. Undefined if nothing is left, and the same choice if it names only tools of the request.
 */
function keepOffered(choice: unknown, body: JsonObject): unknown {
  if (!isObject(choice)) return choice;
  const added = asArray(body.input).map((item) => asObject(item).tools);
  const tools = [body.tools, ...added].flatMap(asArray).map(asObject);
  const names = new Set(
    [...tools, ...tools.flatMap(({ tools: more }) => asArray(more))].map((tool) => asObject(tool).name),
  );
  const offered = new Set(
    tools.flatMap(({ type, server_label: label }) => [String(type), `${type} ${label}`]),
  );
  const isOffered = (one: unknown) => {
    const { type, name, server_label: label } = asObject(one);
    if (OWN_CHOICES.has(type)) return names.has(name);
    return offered.has(label === undefined ? String(type) : `${type} ${label}`);
  };
  if (choice.type !== "allowed_tools") return isOffered(choice) ? withoutUrl(choice) : undefined;
  const allowed = mapList(asArray(choice.tools).filter(isOffered), withoutUrl);
  const isSame =
    allowed.length === asArray(choice.tools).length &&
    allowed.every((one, at) => one === asArray(choice.tools)[at]);
  if (isSame) return choice;
  return allowed.length === 0 ? undefined : { ...choice, tools: allowed };
}

/** A choice only names a server. */
function withoutUrl(choice: unknown): unknown {
  if (!isObject(choice) || choice.server_url === undefined) return choice;
  const { server_url: _url, ...rest } = choice;
  return rest;
}

class Findings implements Visitor<Kind> {
  searches = false;
  /** Missing with references: what is behind one decides about it. */
  readonly rules?: LaneRules;
  /** True if a cache mark, or the request as a whole, asks for twelve hours: writing those costs twice as much. */
  cachesLong = false;
  readonly #rules: LaneRules;
  readonly #seal: Sealer;
  readonly #dropped: string[];
  readonly #asides: ReadonlySet<unknown>;
  /** The types of dropped tools. */
  readonly #droppedTypes = new Set<string>();
  #toolsKept = 0;
  /** The tools and cache marks so far. */
  #found = 0;
  /** OpenAI recognises by id the items that belong to a reasoning item, and refuses them without it. */
  trace = false;

  constructor(rules: LaneRules, seal: Sealer, dropped: string[], asides: ReadonlySet<unknown>) {
    this.#asides = asides;
    this.#rules = rules;
    this.#seal = seal;
    this.#dropped = dropped;
    if (asides.size === 0) this.rules = rules;
  }

  countFound(): number {
    return this.#dropped.length + this.#found;
  }

  split(kind: Kind, node: JsonObject): readonly JsonObject[] | null {
    if (kind !== "item" || !isSealedReasoning(node)) return null;
    const items = restoreReasoning(node, this.#seal);
    if (items.length === 0) this.trace = true;
    return items;
  }

  enter(kind: Kind, node: JsonObject, path: Path, isKnown: boolean): JsonObject | null {
    if (kind === "tool") return this.#tool(node, path);
    if (kind === "item") return this.#item(node, path, isKnown);
    if (!isKnown) this.#refuseUnknown(node, path);
    return node;
  }

  checkField(field: string, value: unknown, path: Path): void {
    if (CACHE_FIELDS.has(field) && asObject(value).ttl === "12h") {
      this.cachesLong = true;
      this.#found++;
    }
    const row = NAMES.findRefusal(field, this.#rules.remoteTools === true);
    const isName = typeof value === "string" ? value !== "" : Array.isArray(value) && value.length > 0;
    if (row && isName) throw refuseField(String(path), row.reason);
  }

  /** A tool that the provider runs, in a place where nobody would hold for it. */
  checkSetting(type: string, path: Path): void {
    const treatment = TOOLS.find(type)?.treatment ?? "pass";
    if (treatment !== "pass") throw refuseUnknown(String(path), type);
  }

  /** True if the choice names a dropped tool, or forces a call when no tools remain. */
  isDropped(choice: unknown): boolean {
    if (choice === undefined || this.#droppedTypes.size === 0) return false;
    const type = asString(asObject(choice).type) ?? "";
    return this.#droppedTypes.has(type) || (this.#toolsKept === 0 && isForced(choice));
  }

  #refuseUnknown(node: JsonObject, path: Path): void {
    const type = asString(node.type) ?? "";
    if (!passes(undefined, type, "blocks", this.#rules)) throw refuseUnknown(String(path), type, OWN_FORMS);
  }

  #tool(tool: JsonObject, path: Path): JsonObject | null {
    this.#found++;
    const type = asString(tool.type) ?? "";
    const row = TOOLS.find(type);
    // A shell in the provider's container is billed by the minute.
    const isHosted = asString(asObject(tool.environment).type)?.startsWith("container") === true;
    const isAllowed = passes(row, type, "tools", this.#rules);
    if (!isAllowed && (row?.treatment === "remote" || row?.treatment === "refuse")) {
      throw refuseField(String(path), row.reason);
    }
    if (!isAllowed || (isHosted && row !== undefined)) {
      this.#dropped.push(String(path));
      this.#droppedTypes.add(type);
      return null;
    }
    if (SEARCHES.has(type)) this.searches = true;
    if (type !== "namespace") this.#toolsKept++;
    return tool;
  }

  /** Returns null for searches that another provider ran, and reasoning that another provider made. */
  #item(item: JsonObject, path: Path, isKnown: boolean): JsonObject | null {
    const type = refersToItem(item) ? "item_reference" : (asString(item.type) ?? "");
    if (type === "item_reference" && this.#isNeedless(item)) {
      this.#dropped.push(String(path));
      this.trace = true;
      return null;
    }
    const row = ITEMS.find(type);
    if (row && !passes(row, type, "blocks", this.#rules)) throw refuseField(String(path), row.reason);
    if (!row && !isKnown) this.#refuseUnknown(item, path);
    if (type === "reasoning") return this.#reasoning(item);
    if (item.role === "user") this.trace = false;
    if (isOwnSearch(item)) return null;
    const isForeign = this.trace || OWN_ITEM_ID.test(asString(item.id) ?? "");
    const own = type === "configuration_update" ? this.#configure(item, path) : item;
    return isForeign ? withoutId(own) : own;
  }

  /** Servers other than OpenAI's (LM Studio, vLLM) show theirs as plain content and need it back. */
  #reasoning(item: JsonObject): JsonObject | null {
    this.trace = !asString(item.encrypted_content);
    return this.trace && asArray(item.content).length === 0 ? null : item;
  }

  /**
   * The AI SDK refers by id to thinking, to searches, and to what was said beside a call. The conversation goes on
   * without them.
   */
  #isNeedless(reference: JsonObject): boolean {
    return /^(rs|ws)_/.test(asString(reference.id) ?? "") || this.#asides.has(reference);
  }

  /** A change of settings within the conversation can't do more than the settings themselves. */
  #configure(item: JsonObject, path: Path): JsonObject {
    const kept = { ...item };
    const dropped = REASONING.removeWithin(kept, "reasoning", false);
    this.#dropped.push(...dropped.map((field) => `${path}.${field}`));
    return kept;
  }
}

/** OpenAI knows nothing of another provider's search, and refuses one without an id. */
function isOwnSearch({ type, id }: JsonObject): boolean {
  return type === "web_search_call" && OWN_ITEM_ID.test(asString(id) ?? "");
}

/** True if the client demands a call. */
export function isForced(choice: unknown): boolean {
  return isObject(choice) || choice === "required";
}

/** True if an item refers to one of an earlier answer. A reference may omit its type. */
export function refersToItem({ type, role, id }: JsonObject): boolean {
  return type === "item_reference" || (type === undefined && role === undefined && id !== undefined);
}

/** Lists the references to messages that a call of the same turn follows. */
function listAsides(input: unknown): ReadonlySet<unknown> {
  const asides = new Set<unknown>();
  let isBeforeCall = false;
  for (const one of asArray(input).toReversed()) {
    const item = asObject(one);
    if (item.type === "function_call" || item.type === "custom_tool_call") isBeforeCall = true;
    else if (!refersToItem(item) && item.type !== "reasoning") isBeforeCall = false;
    else if (isBeforeCall && asString(item.id)?.startsWith("msg_")) asides.add(one);
  }
  return asides;
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
