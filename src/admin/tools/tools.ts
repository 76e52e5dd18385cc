// The tools of all tool servers as the admin routes show them, with which of them a key may call.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/fault.ts";
import { asString, isObject } from "../../core/json/json.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { isToolAllowed } from "../../core/tools/patterns.ts";
import type { ListedTool } from "../../core/tools/tool-directory.ts";
import type { Clock } from "../../core/world/world.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { requireKey } from "../keys/keys.ts";
import type { ListPage } from "../list.ts";
import { allowNull, anyObject, boolean, closeObject, text, usd, type View } from "../schema.ts";
import { findKeyLevels, findSight } from "./sight.ts";
import type { ToolServerParts } from "./tool-servers.ts";
import { findUsers, toolUsersSchema } from "./tool-users.ts";

const LIMIT_MAX = 200;
const LIMIT = 50;
/** Servers may describe a tool at any length. */
const DESCRIPTION_CHARACTERS_MAX = 2000;
const NAME_CHARACTERS_MAX = 200;

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
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT })),
  after: Type.Optional(
    Type.String({ maxLength: NAME_CHARACTERS_MAX, expected: "the 'next' of the previous page" }),
  ),
});
type ToolsQuery = Static<typeof toolsQuery>;

export interface ToolParts extends ToolServerParts {
  readonly store: ToolServerParts["store"] & Pick<Store, "key" | "keys">;
  readonly clock: Pick<Clock, "nowMs">;
}

type IsAllowed = ((tool: ListedTool) => boolean) | null;

/** Returns a page of the tools that the sender sees, by name. Throws the Fault `not_found` for a key that isn't seen. */
export async function listTools(
  parts: ToolParts,
  { server, key, limit = LIMIT, after = "" }: ToolsQuery,
  access = adminAccess(COMMAND_LINE),
): Promise<ListPage<ToolView>> {
  const isAllowed = await findRight(parts, key, access);
  const sees = await findSight(parts, access);
  const found = (await parts.directory.listTools(server))
    .filter((tool) => tool.name > after && sees(tool))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const shown = found.slice(0, limit);
  const data = shown.map((tool) => showTool(tool, isAllowed));
  return { data, next: found.length > limit ? (shown.at(-1)?.name ?? null) : null };
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
