// Tool servers as `poundkey check --probe` shows them.

import type { ToolProbe } from "../../app/tools/probe.ts";
import { showInvisible } from "../../core/text/names.ts";
import { formatCount } from "../administration.ts";

/** One line: the server, its protocol and tools, and those that are left out with the reasons. */
export function describeToolProbe(probe: ToolProbe): string {
  return showInvisible(describeProbe(probe));
}

function describeProbe({ server, ok, era, tools, left_out: leftOut, error }: ToolProbe): string {
  const about = `mcp.servers.${server}`;
  if (!ok) return `${about}: failed: ${error ?? "no answer"}`;
  if (era === null) return `${about}: not asked, because it takes each caller's own credential`;
  const left = leftOut.map(({ name, reason }) => `${name === "" ? "one without a name" : name} (${reason})`);
  const rest = left.length === 0 ? "" : `; left out: ${left.join(", ")}`;
  return `${about}: speaks ${era}, ${formatCount(tools, "tool")}${rest}`;
}
