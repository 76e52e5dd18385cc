// The effects that calls to tool servers need.
import type { ToolSessions } from "../../core/tools/tool-sessions.ts";
import type { Clock, Deadlines, Fetch, Log, Random } from "../../core/world/world.ts";
import type { Authorize } from "../auth/authorize.ts";

export interface ToolServerPorts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly authorize: Authorize;
  readonly sessions: ToolSessions;
  /** A keyed digest of a client's own credential: the credential itself is kept no longer than its request. */
  readonly digest: (text: string) => string;
  readonly log: Log;
  /** The gateway's version. */
  readonly version: string;
}
