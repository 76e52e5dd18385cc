// The gateway's changes to a Responses request, whether it is passed on or translated: one row per field, with its reason.

import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import { type LaneResult, type LaneRow, refuseField, takeOut } from "../lane.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";

/** Fields of the body. */
export const BODY_ROWS: readonly LaneRow[] = [
  {
    field: "previous_response_id",
    treatment: "refuse",
    reason: "No response is kept here: send the whole input.",
  },
  {
    field: "conversation",
    treatment: "refuse",
    reason: "A conversation lies in the provider's account, which all clients share.",
  },
  {
    field: "prompt",
    treatment: "refuse",
    reason: "A prompt lies in the provider's account, which all clients share.",
  },
  { field: "service_tier", treatment: "drop", reason: "The card's price doesn't cover other tiers." },
  { field: "access_programs", treatment: "drop", reason: "Programs are the operator's." },
  { field: "moderation", treatment: "drop", reason: "The card has no price for it." },
];

/** Items and parts of the input that name what lies in the provider's account. */
export const INPUT_ROWS: readonly LaneRow[] = [
  { field: "item_reference", treatment: "refuse", reason: "No item is kept here: send the item itself." },
  {
    field: "file_id",
    treatment: "refuse",
    reason: "A file lies in the provider's account, which all clients share.",
  },
];

/** Tools, by type. The others are dropped: the provider runs them, and the card has no price for that. */
const PASSED_TOOLS =
  /^(function|custom|namespace|tool_search|local_shell|shell|apply_patch|computer(_use_preview)?)$/;
const SEARCH_TOOL = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
export const TOOL_ROWS: readonly LaneRow[] = [
  {
    field: "mcp",
    treatment: "refuse",
    reason: "The provider would call addresses of the client's choice.",
    isRemote: true,
  },
  {
    field: "file_search",
    treatment: "refuse",
    reason: "A vector store lies in the provider's account, which all clients share.",
  },
];
/** A provider that is left to itself searches without end: this many calls where the client named no number. */
const TOOL_CALLS_DEFAULT = 5;

/** Ids of items that we made up for translated answers: no provider knows them. */
export const OWN_ITEM_ID = /^(msg|fc|ctc|rs)_pk1_/;

/** The body as it may leave. Throws the Fault `unsupported_parameter` that names a field of the table. */
export function applyLane(given: JsonObject, seal: Sealer, allowsRemote: boolean): LaneResult {
  const body: JsonObject = { ...given, store: false };
  if (given.background === true)
    throw refuseField("background", "An answer in the background is not kept here.");
  delete body.background;
  const dropped = takeOut(body, BODY_ROWS, allowsRemote);
  const tools = applyTools(arrayOf(body.tools), "tools", allowsRemote);
  if (tools.kept.length > 0) body.tools = tools.kept;
  else if (arrayOf(body.tools).length > 0) delete body.tools;
  dropped.push(...tools.dropped);
  if (Array.isArray(body.input)) body.input = applyInput(body.input, seal, dropped, allowsRemote);
  if (isDroppedChoice(body.tool_choice, tools)) {
    delete body.tool_choice;
    dropped.push("tool_choice");
  }
  const searches = tools.searches ? (numberOr(body.max_tool_calls) ?? TOOL_CALLS_DEFAULT) : 0;
  if (searches > 0) body.max_tool_calls = searches;
  return { body, dropped, searches };
}

function numberOr(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

interface ToolResult {
  readonly kept: readonly unknown[];
  readonly dropped: readonly string[];
  readonly types: ReadonlySet<string>;
  readonly searches: boolean;
}

function applyTools(given: readonly unknown[], path: string, allowsRemote: boolean): ToolResult {
  const kept: unknown[] = [];
  const dropped: string[] = [];
  const types = new Set<string>();
  let searches = false;
  for (const [index, one] of given.entries()) {
    const tool = objectOf(one);
    const type = stringOf(tool.type) ?? "";
    const row = TOOL_ROWS.find(({ field }) => field === type);
    const isAllowed = row?.isRemote === true && allowsRemote;
    if (row && !isAllowed) throw refuseField(`${path}[${index}]`, row.reason);
    if (SEARCH_TOOL.test(type)) searches = true;
    if (isAllowed || SEARCH_TOOL.test(type) || PASSED_TOOLS.test(type)) kept.push(tool);
    else {
      dropped.push(`${path}[${index}]`);
      types.add(type);
    }
  }
  return { kept, dropped, types, searches };
}

function isDroppedChoice(choice: unknown, { kept, types }: ToolResult): boolean {
  if (choice === undefined) return false;
  const type = stringOf(objectOf(choice).type) ?? "";
  return types.has(type) || (kept.length === 0 && isObject(choice));
}

/** The items as OpenAI may get them: reasoning that another provider made, or that OpenAI has not encrypted, is left out. */
function applyInput(
  items: readonly unknown[],
  seal: Sealer,
  dropped: string[],
  allowsRemote: boolean,
): readonly JsonObject[] {
  // OpenAI knows by their ids which items belong to a reasoning item, and refuses them without it.
  let isBereft = false;
  return items.flatMap((one, index): readonly JsonObject[] => {
    const item = objectOf(one);
    const path = `input[${index}]`;
    if (item.type === "item_reference" && isThought(item)) {
      dropped.push(path);
      isBereft = true;
      return [];
    }
    if (item.type === "item_reference") throw refuseField(path, INPUT_ROWS[0]?.reason ?? "");
    refuseFiles(item, path);
    if (item.type === "reasoning") {
      const restored = restoreReasoning(item, seal);
      isBereft = restored.length === 0;
      return restored;
    }
    if (item.type === "additional_tools") {
      const tools = applyTools(arrayOf(item.tools), `${path}.tools`, allowsRemote);
      dropped.push(...tools.dropped);
      return [{ ...item, tools: tools.kept }];
    }
    if (item.role === "user") isBereft = false;
    return [isBereft || OWN_ITEM_ID.test(stringOf(item.id) ?? "") ? withoutId(item) : item];
  });
}

/** The AI SDK refers to thinking by its id. Without it the conversation means the same, so it is left out. */
function isThought({ id }: JsonObject): boolean {
  return stringOf(id)?.startsWith("rs_") === true;
}

function withoutId({ id: _id, ...item }: JsonObject): JsonObject {
  return item;
}

function restoreReasoning(item: JsonObject, seal: Sealer): readonly JsonObject[] {
  const sealed = stringOf(item.encrypted_content) ?? "";
  if (sealed === "") return [];
  if (!isOurSignature(sealed)) return [item];
  const details = openSignature(seal, "", sealed) ?? [];
  const own = details.find(({ format, data }) => format === RESPONSES_FORMAT && data !== undefined);
  if (!own) return [];
  const { id: _id, ...rest } = item;
  return [{ ...rest, ...(own.id ? { id: own.id } : {}), encrypted_content: own.data }];
}

/** Parts of messages and of tools' results. */
function refuseFiles(item: JsonObject, path: string): void {
  for (const field of ["content", "output"]) {
    for (const [index, part] of arrayOf(item[field]).entries()) {
      if (objectOf(part).file_id)
        throw refuseField(`${path}.${field}[${index}].file_id`, INPUT_ROWS[1]?.reason ?? "");
    }
  }
}
