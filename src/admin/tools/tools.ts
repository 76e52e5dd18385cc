// The tools of all tool servers as the admin routes show them, with which of them a key may call.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { asString, isObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { findSorted } from "../../core/things/sorts.ts";
import { isToolAllowed } from "../../core/tools/patterns.ts";
import type { ListedTool } from "../../core/tools/tool-directory.ts";
import type { Clock } from "../../core/world/world.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { requireKey } from "../keys/keys.ts";
import { isUnsorted, LIMIT, type ListPage, listSorted, sortedFields } from "../list.ts";
import { allowNull, anyObject, boolean, closeObject, text, usd, type View } from "../schema.ts";
import { findKeyLevels, findSight } from "./sight.ts";
import type { ToolServerParts } from "./tool-servers.ts";
import { findUsers, toolUsersSchema } from "./tool-users.ts";

/** Servers may describe a tool at any length. */
const DESCRIPTION_CHARACTERS_MAX = 2000;
const NAME_CHARACTERS_MAX = 200;
const AFTER_CHARACTERS_MAX = 3000;

export const toolSchema = Type.Object({
  name: Type.String({ description: "As clients of `/mcp` know it." }),
  server: text,
  tool: Type.String({ description: "The server's own name of it." }),
  description: allowNull(text),
  price_usd: usd,
  allowed: allowNull(
    Type.Boolean({ description: "Whether the key that was asked for may call it. Null without one." }),
  ),
});
export type ToolView = View<typeof toolSchema>;

export const toolDetailSchema = Type.Object({
  ...toolSchema.properties,
  title: allowNull(text),
  input_schema: allowNull(anyObject),
  output_schema: allowNull(anyObject),
  annotations: allowNull(anyObject),
  users: toolUsersSchema,
  are_users_complete: boolean,
});
export type ToolDetailView = View<typeof toolDetailSchema>;

export const toolsQuery = closeObject({
  server: Type.Optional(Type.String({ maxLength: NAME_CHARACTERS_MAX, description: "a server's name" })),
  key: Type.Optional(
    Type.String({ maxLength: NAME_CHARACTERS_MAX, description: "a key's id: says which tools it may call" }),
  ),
  ...sortedFields("tools", "By name"),
  after: Type.Optional(
    Type.String({ maxLength: AFTER_CHARACTERS_MAX, expected: "the 'next' of the previous page" }),
  ),
});
type ToolsQuery = Static<typeof toolsQuery>;

export interface ToolParts extends ToolServerParts {
  readonly store: ToolServerParts["store"] & Pick<Store, "key" | "keys">;
  readonly clock: Pick<Clock, "nowMs">;
}

type IsAllowed = ((tool: ListedTool) => boolean) | null;

const VALUES = {
  name: ({ id }: { readonly id: string }) => id,
  price: ({ tool }: { readonly tool: ListedTool }) => tool.priceNanoUsd,
};

/** Returns a page of the tools that the sender sees, by name or as the query sorts them. Throws the Fault `not_found` for a key that isn't seen. */
export async function listTools(
  parts: ToolParts,
  query: ToolsQuery,
  access = adminAccess(COMMAND_LINE),
): Promise<ListPage<ToolView>> {
  const { server, key } = query;
  const isAllowed = await findRight(parts, key, access);
  const sees = await findSight(parts, access);
  const tools = (await parts.directory.listTools(server)).filter(sees);
  const rows = tools.map((tool) => ({ id: tool.name, tool }));
  const { data, next } = isUnsorted(query)
    ? listByName(rows, query)
    : await listSorted("tools", query, async (page) => findSorted(rows, VALUES, page));
  return { data: data.map(({ tool }) => showTool(tool, isAllowed)), next };
}

/** A page's `next` is its last tool's name. */
function listByName<Row extends { readonly id: string; readonly tool: ListedTool }>(
  rows: readonly Row[],
  { limit = LIMIT, after }: ToolsQuery,
): ListPage<Row> {
  if (after?.includes("~")) throw invalidValue("after", "expected the 'next' of a page of the same `sort`");
  const from = after === undefined ? null : { value: after, id: after };
  const page = { by: "name", isDown: false, limit: limit + 1, after: from } as const;
  const found = findSorted(rows, VALUES, page).map(({ row }) => row);
  const shown = found.slice(0, limit);
  return { data: shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

async function findRight(parts: ToolParts, key: string | undefined, access: Access): Promise<IsAllowed> {
  if (key === undefined) return null;
  const found = requireKey(key, await parts.store.key(key, access.scope("keys.read")));
  const levels = await findKeyLevels(parts, found);
  return ({ fullName }) => isToolAllowed(levels, fullName);
}

/** Returns a tool with its schema, and with the keys that may call it. Throws the Fault `not_found`. */
export async function getTool(parts: ToolParts, name: string, access: Access): Promise<ToolDetailView> {
  const sees = await findSight(parts, access);
  const tool = (await parts.directory.listTools()).find((one) => one.name === name && sees(one));
  if (tool === undefined) throw new Fault("not_found", "There is no tool with that name.");
  const { users, isComplete } = await findUsers(parts, tool, access);
  const definition = tool.readDefinition();
  return {
    ...showTool(tool, null),
    title: asString(definition.title) ?? null,
    input_schema: showObject(definition.inputSchema),
    output_schema: showObject(definition.outputSchema),
    annotations: showObject(definition.annotations),
    users,
    are_users_complete: isComplete,
  };
}

function showTool(tool: ListedTool, isAllowed: IsAllowed): ToolView {
  const { name, server, tool: own, description, priceNanoUsd } = tool;
  return {
    name,
    server,
    tool: own,
    description: description && shorten(description),
    price_usd: toUsd(priceNanoUsd),
    allowed: isAllowed?.(tool) ?? null,
  };
}

function shorten(description: string): string {
  const characters = description.slice(0, DESCRIPTION_CHARACTERS_MAX).toWellFormed();
  return characters.length < description.length ? `${characters}…` : characters;
}

function showObject(value: unknown): Record<string, unknown> | null {
  return isObject(value) ? value : null;
}
