// The attributes of the spans of a tool's call, by OpenTelemetry's conventions for MCP (semantic-conventions-genai, in
// development).
import type { TracedTool } from "../core/log/trace-context.ts";
import type { OtlpWriter } from "./otlp-json.ts";

const EXECUTE = "execute_tool";
/** The conventions' word for a result that says that the tool failed. */
const TOOL_ERROR = "tool_error";

/** `tools/call github_search_code` */
export function nameToolSpan({ method, name }: TracedTool): string {
  return `${method} ${name}`;
}

/** `error` is that of the row. */
export function describeToolSpan(to: OtlpWriter, tool: TracedTool, error: string | null): OtlpWriter {
  return to
    .word("mcp.method.name", tool.method)
    .word("mcp.protocol.version", tool.version)
    .word("gen_ai.operation.name", EXECUTE)
    .text("gen_ai.tool.name", tool.name)
    .text("jsonrpc.request.id", tool.rpcId)
    .text("error.type", error === "is_error" ? TOOL_ERROR : error);
}
