// The ports of the routes of tool servers.

import type { GatewayKey } from "../../core/keys/key.ts";
import type { AllowedTools } from "../../core/limits/member-limits.ts";
import type { ToolRules } from "../../core/tools/rules.ts";
import type { ToolRuns } from "../../gateway/tools/tool-runs.ts";
import type { ToolServerPort } from "../../gateway/tools/tool-server-port.ts";
import type { HttpPorts } from "../ports.ts";
import type { ClientSessions } from "./sessions.ts";

export interface ToolPorts extends HttpPorts {
  /** Undefined while there are no tool servers. */
  readonly toolRules: () => ToolRules | undefined;
  /** Returns the most listening streams of this process, which is its part of its node's. */
  readonly streamsMax: () => number;
  readonly toolServers: ToolServerPort;
  readonly toolRuns: ToolRuns;
  readonly clientSessions: ClientSessions;
  /**
   * Returns the lists of which a tool has to pass every one, without a promise if the key, which was proven, is remembered. That
   * it is for half a second: a call's admission looks at them again.
   */
  readonly toolLevels: (key: GatewayKey) => readonly AllowedTools[] | Promise<readonly AllowedTools[]>;
  /** The gateway's version. */
  readonly version: string;
}
