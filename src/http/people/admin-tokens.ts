// /admin/v1/tokens: named tokens of the admin routes, each with a role.
import { Elysia } from "elysia";
import {
  createdTokenSchema,
  createToken,
  listTokens,
  newTokenSchema,
  revokeToken,
  tokenSchema,
} from "../../admin/people/named-tokens.ts";
import { wrapRows } from "../../admin/schema.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";
import { readOperator } from "./operator.ts";

export function tokenRoutes(ports: WritingParts) {
  const { reads, writes } = createOperatorHooks(ports, "Tokens");
  const { world } = ports;
  return new Elysia({ prefix: "/admin/v1" })
    .get("/tokens", ({ request }) => listTokens(world, readOperator(request).access), {
      ...reads("tokens.write", "listTokens", "List the named tokens within one's own rights, newest first"),
      response: returnsBody(wrapRows(tokenSchema)),
    })
    .post(
      "/tokens",
      async ({ body, request, status }) =>
        status(201, await createToken(actAsSender(world, request), body, readOperator(request).access)),
      {
        ...writes("tokens.write", "createToken", "Create a named token; its secret is shown only once"),
        body: takesBody(newTokenSchema),
        response: { 201: returnsBody(createdTokenSchema) },
      },
    )
    .delete(
      "/tokens/:id",
      ({ params: { id }, request }) =>
        revokeToken(actAsSender(world, request), id, readOperator(request).access),
      {
        ...reads("tokens.write", "revokeToken", "Revoke a named token, and its console sessions, at once"),
        response: returnsBody(tokenSchema),
      },
    );
}
