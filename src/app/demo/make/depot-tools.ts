// The demo's tool server, which answers in this process: two tools of a warehouse.
import { asObject, parseJson } from "../../../core/json/json.ts";
import type { Fetch } from "../../../core/world/world.ts";

const PATH = "/depot/mcp";

export function isToolCall(url: string): boolean {
  return new URL(url).pathname === PATH;
}

const place = { type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] };
const TOOLS = [
  { name: "find_parcel", description: "Tells where a parcel is", inputSchema: place },
  {
    name: "list_delays",
    description: "Lists the parcels that are late",
    inputSchema: { type: "object", properties: {} },
  },
];

/** Speaks the older era of the protocol, without sessions. */
export async function answerTools(init: Parameters<Fetch>[1]): Promise<Response> {
  const text = await new Response(init.body ?? null).text();
  const { id, method, params } = asObject(parseJson(text));
  if (id === undefined) return new Response(null, { status: 202 });
  const { protocolVersion, name } = asObject(params);
  const reply = (result: object) => Response.json({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "depot", version: "1.0.0" },
      });
    case "tools/list":
      return reply({ tools: TOOLS });
    case "tools/call":
      return reply({
        content: [{ type: "text", text: name === "find_parcel" ? "In the depot of Porto." : "None." }],
      });
    default:
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  }
}
