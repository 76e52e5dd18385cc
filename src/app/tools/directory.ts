// The states of tool servers and the tools that they show, for the operator.
import { matchesPatterns } from "../../core/fields/tool-list.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject } from "../../core/json/json.ts";
import { makeFullName } from "../../core/tools/rules.ts";
import type { ListedTool, ToolDirectory, ToolServerState } from "../../core/tools/tool-directory.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeToolName } from "../../tools/names.ts";
import type { ToolServers } from "../../transport/tool-servers/tool-servers.ts";

type KnownServers = Pick<ToolServers, "servers" | "describe" | "list">;

export function createToolDirectory(known: KnownServers): ToolDirectory {
  return {
    listServers: async () => {
      const listed = await Promise.all(known.servers.map((server) => listTools(known, server)));
      const servers = new Map(
        known.servers.map((server, at) => [server.name, { server, tools: listed[at] }]),
      );
      return known.describe().map(({ instructions: _, ...state }): ToolServerState => {
        const found = servers.get(state.name);
        return { ...state, url: found?.server.url ?? "", tools: found?.tools?.length ?? 0 };
      });
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
  return tools.map(({ name, description, members }) => ({
    name: makeToolName(server.name, name),
    fullName: makeFullName(server.name, name),
    server: server.name,
    tool: name,
    priceNanoUsd: server.prices.get(name) ?? server.pricePerCall,
    description,
    readDefinition: () => asObject(parseReceived(`{${members}}`)),
  }));
}
