// GET /admin/v1/sockets: the WebSockets that are open on the node that answers.
import { Elysia } from "elysia";
import { type SocketsView, socketsSchema } from "../../admin/log/sockets.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody } from "../openapi/route-schema.ts";

export function socketRoutes(operator: WritingParts, view: () => Promise<SocketsView>) {
  const { reads } = createOperatorHooks(operator, "Log");
  return new Elysia({ prefix: "/admin/v1" }).get("/sockets", view, {
    ...reads("settings.read", "countSockets", "Count the WebSockets that are open on the node that answers"),
    response: returnsBody(socketsSchema),
  });
}
