// The tool servers as the routes and the calls see them.
import type { ToolServers } from "../../transport/tool-servers/tool-servers.ts";

export type ToolServerPort = Pick<
  ToolServers,
  "list" | "peek" | "findRefusal" | "call" | "describe" | "findInstructions" | "hear" | "watch"
>;
