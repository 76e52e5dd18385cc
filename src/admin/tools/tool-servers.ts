// The company's tool servers as the admin routes show them.
import { Type } from "@sinclair/typebox";
import {
  TOOL_SERVER_STATES,
  type ToolDirectory,
  type ToolServerState,
} from "../../core/tools/tool-directory.ts";
import { adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { formatInstantOrNull } from "../format.ts";
import type { ListPage } from "../list.ts";
import { allowNull, allowWords, count, instant, text, type View } from "../schema.ts";
import { findSight, type SightParts } from "./sight.ts";

export const toolServerSchema = Type.Object({
  name: text,
  url: Type.Optional(Type.String({ description: "Left out for viewers and members." })),
  state: allowWords(TOOL_SERVER_STATES),
  era: allowNull(Type.String({ description: "The version of the protocol that it speaks, a date." })),
  version: allowNull(Type.String({ description: "The server's own version." })),
  error: allowNull(
    Type.String({ description: "Why it is down. Without the reason for viewers and members." }),
  ),
  tools: count,
  left_out: Type.Array(Type.Object({ name: text, reason: text }), {
    description: "Tools that are shown to nobody.",
  }),
  checked_at: allowNull(instant),
});
export type ToolServerView = View<typeof toolServerSchema>;

export interface ToolServerParts extends SightParts {
  readonly directory: ToolDirectory;
}

/** Those who see single accounts see the servers of tools that they see, and of these tools alone the number. */
export async function listToolServers(
  parts: ToolServerParts,
  access = adminAccess(COMMAND_LINE),
): Promise<ListPage<ToolServerView>> {
  const { directory } = parts;
  const hasUrl = access.may("tools.addresses");
  const servers = await directory.listServers();
  if (access.accountsWith("tools.read") === null)
    return { data: servers.map((server) => showServer(server, hasUrl)), next: null };
  const sees = await findSight(parts, access);
  const seen = Map.groupBy((await directory.listTools()).filter(sees), ({ server }) => server);
  const data = servers.flatMap((server) => {
    const tools = seen.get(server.name)?.length ?? 0;
    return tools === 0 ? [] : [showServer({ ...server, tools, leftOut: [] }, hasUrl)];
  });
  return { data, next: null };
}

function showServer(server: ToolServerState, hasUrl: boolean): ToolServerView {
  const { name, url, state, era, version, error, tools, leftOut, checkedAtMs } = server;
  return {
    name,
    ...(hasUrl && { url }),
    state,
    era,
    version,
    error: error !== null && !hasUrl ? "It could not be reached, or failed." : error,
    tools,
    left_out: leftOut.map(({ name: tool, reason }) => ({ name: tool, reason })),
    checked_at: formatInstantOrNull(checkedAtMs),
  };
}
