// /admin/v1/mcp: the company's tool servers and their tools.
import { Elysia } from "elysia";
import { wrapRows } from "../../admin/schema.ts";
import { listToolServers, toolServerSchema } from "../../admin/tools/tool-servers.ts";
import {
  getTool,
  listTools,
  type ToolParts,
  toolDetailSchema,
  toolSchema,
  toolsQuery,
} from "../../admin/tools/tools.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function toolAdminRoutes(operator: WritingParts, parts: ToolParts) {
  const { reads } = createOperatorHooks(operator, "Tools");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/mcp/servers", ({ request }) => listToolServers(parts, readOperator(request).access), {
      ...reads("tools.read", "listToolServers", "List the tool servers, with how they are"),
      response: returnsBody(wrapRows(toolServerSchema)),
    })
    .get("/mcp/tools", ({ query, request }) => listTools(parts, query, readOperator(request).access), {
      ...reads("tools.read", "listTools", "List the tools of tool servers, and which of them a key may call"),
      query: takesQuery(toolsQuery),
      response: returnsBody(wrapRows(toolSchema)),
    })
    .get(
      "/mcp/tools/:name",
      ({ params: { name }, request }) => getTool(parts, name, readOperator(request).access),
      {
        ...reads("tools.read", "getTool", "Get a tool with its schema, and the keys that may call it"),
        response: returnsBody(toolDetailSchema),
      },
    );
}
