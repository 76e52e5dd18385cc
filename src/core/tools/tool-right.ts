// The right that a call of a tool needs.
import { Fault } from "../faults/fault.ts";
import type { AllowedTools } from "../limits/member-limits.ts";
import { isToolAllowed, isWholeServerAllowed } from "./patterns.ts";
import { makeFullName } from "./rules.ts";

/** To one tool, or to all of a server, as for its prompts and resources. */
export interface ToolRight {
  readonly server: string;
  /** The server's own name of it. Null for all of the server. */
  readonly tool: string | null;
}

/** Returns null if the lists allow it. */
export function refuseTool({ server, tool }: ToolRight, levels: readonly AllowedTools[]): Fault | null {
  const isAllowed =
    tool === null ? isWholeServerAllowed(levels, server) : isToolAllowed(levels, makeFullName(server, tool));
  return isAllowed ? null : makeToolNotAllowed();
}

/** To the key's client, there is no such tool. */
export function makeToolNotAllowed(): Fault {
  return new Fault("tool_not_allowed", "The key may not use this tool.");
}
