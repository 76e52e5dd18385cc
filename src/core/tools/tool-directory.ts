// The port to what the gateway knows of its tool servers: their states, and the tools that they show.
import type { JsonObject } from "../json/json.ts";
import type { NanoUsd } from "../money/money.ts";

export const TOOL_SERVER_STATES = ["up", "down", "unknown"] as const;

/** A tool server as this node last saw it. */
export interface ToolServerState {
  readonly name: string;
  readonly url: string;
  readonly state: (typeof TOOL_SERVER_STATES)[number];
  /** The version of the protocol that it speaks, a date. Null until it was asked. */
  readonly era: string | null;
  /** The server's own version. */
  readonly version: string | null;
  /** The reason why it is down, for the operator: it may name a host. */
  readonly error: string | null;
  /** The number of tools that it shows. */
  readonly tools: number;
  /** The tools that are shown to nobody, by the server's own names. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Unix milliseconds. Null until it was asked. */
  readonly checkedAtMs: number | null;
}

/** A tool that a server shows. */
export interface ListedTool {
  /** As clients of all servers' address know it. */
  readonly name: string;
  /** The server's name, `_` and its own name of it, without any fitting: patterns know it by this. */
  readonly fullName: string;
  readonly server: string;
  /** The server's own name of it. */
  readonly tool: string;
  readonly priceNanoUsd: NanoUsd;
  readonly description: string | null;
  /** Returns what the server said of it besides its name: title, schemas, annotations. */
  readonly readDefinition: () => JsonObject;
}

/** Servers that weren't asked within a minute are asked first, all together, for some seconds at most. */
export interface ToolDirectory {
  /** In the order of the configuration. */
  readonly listServers: () => Promise<readonly ToolServerState[]>;
  /** Returns the tools of one server, or of all. */
  readonly listTools: (server?: string) => Promise<readonly ListedTool[]>;
}
