// The metrics of tool servers.
import { calls, gauge, MS_PER_SECOND } from "./metric-row.ts";

/** The upper bounds of the buckets of calls, in milliseconds. None takes more than half an hour. */
const BOUNDS_MS = [10, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000];

export const TOOL_METRICS = {
  poundkey_tool_calls_total: {
    ...calls(
      "Tool calls: ok, is_error (the result says so), the code of the server's JSON-RPC error, or a failure's.",
      "server",
      "outcome",
    ),
    on: "tool.called",
  },
  poundkey_tool_seconds: {
    type: "histogram",
    unit: "seconds",
    per: MS_PER_SECOND,
    bounds: BOUNDS_MS,
    help: "Time of tool calls.",
    labels: ["server"],
    on: "tool.called",
    by: "ms",
  },
  poundkey_tool_server_up: {
    ...gauge("0 or 1", "Tool server reached, lists given, when last asked. Absent before.", "server"),
    over: "min",
  },
  poundkey_mcp_streams: gauge("streams", "Streams for tool changes."),
} as const;
