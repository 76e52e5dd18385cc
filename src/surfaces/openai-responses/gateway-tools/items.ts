// The items by which a client sees tools that the gateway runs, and a tool's result as the model reads it.
import { asArray, asObject, asString, type JsonObject, omitUndefined } from "../../../core/json/json.ts";
import type { GatewayToolResult } from "../../../core/tools/gateway-tool-calls.ts";
import type { ShownServer } from "../../gateway-tools.ts";

/** A call as it is shown before its result is there. */
export interface CallPlace {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly arguments: string;
}

export function writeCallItem(call: CallPlace, status: string, result: JsonObject = {}): JsonObject {
  return {
    id: call.id,
    type: "mcp_call",
    status,
    approval_request_id: null,
    arguments: call.arguments,
    error: null,
    name: call.name,
    output: null,
    server_label: call.label,
    ...result,
  };
}

export function writeListItem(id: string, { label, tools, error }: ShownServer): JsonObject {
  return {
    id,
    type: "mcp_list_tools",
    server_label: label,
    tools: tools.map(({ name, description, inputSchema, annotations }) =>
      omitUndefined({ annotations, description: description ?? undefined, input_schema: inputSchema, name }),
    ),
    error,
  };
}

/** Returns the item of a call with its result. */
export function endCallItem(call: CallPlace, given: GatewayToolResult): JsonObject {
  if (given.kind === "error") {
    const { code, message } = given.error;
    return writeCallItem(call, "failed", { error: { type: "mcp_protocol_error", code, message } });
  }
  const { result } = given;
  if (result.isError !== true) return writeCallItem(call, "completed", { output: joinTexts(result) });
  const content = asArray(result.content);
  return writeCallItem(call, "failed", { error: { type: "mcp_tool_execution_error", content } });
}

/** Returns the result as the output of a function: a text, or parts if it has pictures. */
export function writeOutput(given: GatewayToolResult): string | readonly JsonObject[] {
  if (given.kind === "error") return given.error.message;
  const { result } = given;
  const parts = asArray(result.content).map(asObject);
  if (!parts.some(isPicture)) return joinTexts(result);
  return parts.map((part) =>
    isPicture(part)
      ? { type: "input_image", image_url: `data:${String(part.mimeType)};base64,${String(part.data)}` }
      : { type: "input_text", text: describePart(part) },
  );
}

function isPicture({ type, data, mimeType }: JsonObject): boolean {
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

/** A result without content has its structure alone. */
function joinTexts({ content, structuredContent }: JsonObject): string {
  const parts = asArray(content).map(asObject);
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.map(describePart).join("\n");
}

/**
 * Servers give files as embedded resources: the model reads their text, as it does the result's own. Of a link, and of a file that
 * is no text, it reads the address.
 */
function describePart(part: JsonObject): string {
  const { type, text, resource } = part;
  if (type === "text" && typeof text === "string") return text;
  const line = `[${asString(type) ?? "unknown"}]`;
  const embedded = asString(asObject(resource).text);
  if (embedded !== undefined) return `${line}\n${embedded}`;
  const { name, uri } = type === "resource_link" ? part : asObject(resource);
  const address = [asString(name), asString(uri)].filter((one) => one !== undefined).join(": ");
  return address === "" ? line : `${line} ${address}`;
}
