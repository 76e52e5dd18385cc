// The operator's view of tool servers: their states, and the tools that they show.
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject } from "../../core/json/json.ts";
import type { ListedTool, ToolDirectory, ToolServerState } from "../../core/tools/tool-directory.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeFullName, makeToolName } from "../../tools/names.ts";
import { matchesPatterns } from "../../tools/patterns.ts";
import type { ToolServers } from "../../transport/tool-servers/tool-servers.ts";

type KnownServers = Pick<ToolServers, "servers" | "describe" | "list">;

export function createToolDirectory(known: KnownServers): ToolDirectory {
  return {
    listServers: () => {
      const urls = new Map(known.servers.map(({ name, url }) => [name, url]));
      return known.describe().map(
        ({ instructions: _, ...state }): ToolServerState => ({
          ...state,
          url: urls.get(state.name) ?? "",
        }),
      );
    },
    listTools: async (only) => {
      const asked = known.servers.filter(({ name }) => only === undefined || name === only);
      return (await Promise.all(asked.map((server) => listTools(known, server)))).flat();
    },
  };
}

/** Servers that take each caller's own credential show nothing without one. */
async function listTools(known: KnownServers, server: ToolServer): Promise<readonly ListedTool[]> {
  const mirror = await known.list(server.name, null).catch(() => null);
  const tools = [...(mirror?.tools.values() ?? [])].filter(({ name }) => matchesPatterns(server.tools, name));
  return tools.map(({ name, members }) => ({
    name: makeToolName(server.name, name),
    fullName: makeFullName(server.name, name),
    server: server.name,
    tool: name,
    priceNanoUsd: server.prices.get(name) ?? server.pricePerCall,
    definition: asObject(parseReceived(`{${members}}`)),
  }));
}
