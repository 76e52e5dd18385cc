// The settings of the address at which keys reach the operator's tool servers.
import type { ToolServer } from "./tool-server.ts";

/** The bounds on one response in which the gateway runs tools for its model. */
export interface ToolLoopBounds {
  /** Model calls, at least two: the last is made without tools. */
  readonly roundsMax: number;
  /** Calls of tools. */
  readonly callsMax: number;
  readonly totalMs: number;
}

export interface ToolRules {
  /** The most listening streams of a node, all of its workers together. */
  readonly streamsMax: number;
  readonly loop: ToolLoopBounds;
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

/** Returns NAME_tool without any fitting, as patterns know a tool. */
export function makeFullName(server: string, tool: string): string {
  return `${server}_${tool}`;
}
