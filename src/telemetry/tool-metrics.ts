// The metrics of tool servers.
import { calls, gauge, MS_PER_SECOND } from "./metric-row.ts";

/** The upper bounds of the buckets of calls, in milliseconds. None takes more than half an hour. */
const BOUNDS_MS = [10, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000];

export const TOOL_METRICS = {
  poundkey_tool_calls_total: {
    ...calls(
      "Calls of tools by server and outcome: ok, is_error (the result says so), the code of the server's JSON-RPC error, or that of a failure.",
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
    help: "Time of calls of tools, from their arrival to their end.",
    labels: ["server"],
    on: "tool.called",
    by: "ms",
  },
  poundkey_tool_server_up: {
    ...gauge(
      "0 or 1",
      "Whether the tool server gave its lists and was reached when it was last asked (1) or not (0). Absent until it was asked.",
      "server",
    ),
    over: "min",
  },
  poundkey_mcp_streams: gauge("streams", "Open streams on which clients listen for changes of tools."),
} as const;
