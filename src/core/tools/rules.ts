// The settings of the address at which keys reach the operator's tool servers.
import type { ToolServer } from "./tool-server.ts";

export interface ToolRules {
  /** The most listening streams of a node, all of its workers together. */
  readonly streamsMax: number;
  /** At least one. */
  readonly servers: readonly ToolServer[];
}

/** A tool as a model in rows, budgets and hooks: `mcp:github#search_code`. */
export function nameToolModel(server: string, tool: string): string {
  return `${nameToolProvider(server)}#${tool}`;
}

/** No provider's name contains a colon. */
const PREFIX = "mcp:";

/** A server as the provider of its tools. */
export function nameToolProvider(server: string): string {
  return `${PREFIX}${server}`;
}

export function isToolModel(model: string): boolean {
  return model.startsWith(PREFIX);
}
