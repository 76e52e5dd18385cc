// A tool server of the older era without sessions, whose answers always arrive in one piece.
import { asObject } from "../../src/core/json/json.ts";

const TOOL = {
  name: "echo",
  description: "Says the same.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "fixed", version: "1" },
  },
  "tools/list": { tools: [TOOL] },
  "tools/call": { content: [{ type: "text", text: "The words that the tool has been given." }] },
};

export function startFixedToolServer() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { id, method } = asObject(await request.json());
      if (id === undefined) return new Response(null, { status: 202 });
      const result = RESULTS[String(method)];
      const error = { code: -32601, message: "Method not found" };
      return Response.json({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) });
    },
  });
}
