// The tools of the tool server of the tests.
import type { JsonObject } from "../../../src/core/json/json.ts";

function makeTool(name: string, more: JsonObject = {}): JsonObject {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return { name, description: `The tool ${name}.`, inputSchema, ...more };
}

export const TOOLS: readonly JsonObject[] = [
  makeTool("echo", { annotations: { readOnlyHint: true } }),
  makeTool("fail"),
  makeTool("progress"),
  makeTool("slow"),
  makeTool("ids"),
  makeTool("linked"),
  makeTool("regional", {
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, count: { type: "integer" } },
    },
  }),
  makeTool("größe/now"),
];

export function runTool(name: string, given: JsonObject): JsonObject {
  const text = String(given.text ?? "");
  switch (name) {
    case "fail":
      return { content: [{ type: "text", text: "It failed." }], isError: true };
    case "ids":
      return { content: [], structuredContent: { id: BigInt("12345678901234567890") } };
    case "linked":
      return { content: [{ type: "resource_link", uri: "file:///a.txt", name: "a" }] };
    case "large":
      return { content: [{ type: "text", text: "x".repeat(Number(given.size)) }] };
    case "parts":
      return { content: Array.from({ length: Number(given.size) }, () => ({ type: "text", text: "x" })) };
    default:
      return { content: [{ type: "text", text: `${name}: ${text}` }] };
  }
}
