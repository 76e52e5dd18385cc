// The routes of tool servers: the company's, behind one address, for the same keys.
import { Elysia } from "elysia";
import { Arrival } from "../door/arrival.ts";
import { CountingLimit } from "../door/counting.ts";
import { describeObject, describeRoute } from "../openapi/route-schema.ts";
import type { BunServer, DirectRoutes, HeaderStore } from "../serve/app.ts";
import type { ToolDoor } from "./door.ts";
import type { ToolPorts } from "./ports.ts";

const TAG = "Tool servers";

const MESSAGE = {
  type: "object",
  description: "A message of the Model Context Protocol, in JSON-RPC 2.0.",
  properties: {
    jsonrpc: { type: "string", enum: ["2.0"] },
    id: { description: "Missing in a notification.", oneOf: [{ type: "string" }, { type: "integer" }] },
    method: { type: "string", example: "tools/call" },
    params: { type: "object", additionalProperties: true },
  },
  required: ["jsonrpc"],
};

/** A request as Elysia hands it over. */
interface ToolRequestParts {
  /** The route's pattern. */
  readonly route: string;
  readonly request: Request;
  readonly server: BunServer | null;
  readonly set: HeaderStore;
}

/** The address of all servers, which Bun's own router can call. */
export function directToolRoutes(ports: ToolPorts, door: ToolDoor): DirectRoutes {
  const shared = { route: "/mcp", counting: new CountingLimit() };
  return {
    "/mcp": (request, server, set) => door.post(new Arrival(ports, request, server, set, shared), null),
  };
}

export function toolRoutes(ports: ToolPorts, door: ToolDoor) {
  const counting = new CountingLimit();
  const arrive = ({ route, request, server, set }: ToolRequestParts) =>
    new Arrival(ports, request, server, set, { route, counting });
  return new Elysia()
    .post("/mcp", (parts) => door.post(arrive(parts), null), {
      parse: "none",
      ...describeObject(
        TAG,
        "askTools",
        "Speak MCP to all tool servers",
        "The answer in JSON-RPC, or events.",
        MESSAGE,
      ),
    })
    .get("/mcp", (parts) => door.get(arrive(parts), null), describeListening("listenToTools"))
    .delete("/mcp", (parts) => door.delete(arrive(parts), null), describeEnd("endToolSession"))
    .post("/mcp/:server", (parts) => door.post(arrive(parts), parts.params.server), {
      parse: "none",
      ...describeObject(
        TAG,
        "askToolServer",
        "Speak MCP to one tool server",
        "The answer in JSON-RPC, or events.",
        MESSAGE,
      ),
    })
    .get(
      "/mcp/:server",
      (parts) => door.get(arrive(parts), parts.params.server),
      describeListening("listenToToolServer"),
    )
    .delete(
      "/mcp/:server",
      (parts) => door.delete(arrive(parts), parts.params.server),
      describeEnd("endToolServerSession"),
    );
}

function describeListening(operationId: string) {
  return describeRoute(
    TAG,
    operationId,
    "Listen for changes of the lists",
    "Server-sent events, each a notification.",
  );
}

function describeEnd(operationId: string) {
  return describeRoute(TAG, operationId, "End a session", { 204: { description: "The session has ended." } });
}
