// /admin/v1/aliases: creates, changes and deletes the operator's own names for models at run time.
import { Elysia } from "elysia";
import {
  type AliasParts,
  aliasChangeSchema,
  aliasQuery,
  aliasSchema,
  aliasTargetChangeSchema,
  changeAlias,
  createAlias,
  deleteAlias,
  listAliases,
  newAliasSchema,
} from "../../admin/models/aliases.ts";
import { wrapRows } from "../../admin/schema.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";

/** Names may contain `/` and `#`, so they can be given in the path or as a query parameter. */
export function aliasRoutes(operator: WritingParts, parts: AliasParts) {
  const { reads, writes } = createOperatorHooks(operator, "Aliases");
  const alias = returnsBody(aliasSchema);
  const as = (request: Request) => ({ ...parts, changes: actAsSender(operator.world, request).changes });
  return new Elysia({ prefix: "/admin/v1" })
    .get("/aliases", () => listAliases(parts), {
      ...reads("models.read", "listAliases", "List the aliases, those in the configuration file first"),
      response: returnsBody(wrapRows(aliasSchema)),
    })
    .post(
      "/aliases",
      async ({ body, status, request }) => status(201, await createAlias(as(request), body)),
      {
        ...writes(
          "aliases.write",
          "createAlias",
          "Create an alias for a model, a selector or a group of models",
        ),
        body: takesBody(newAliasSchema),
        response: { 201: alias },
      },
    )
    .patch("/aliases", ({ body, request }) => changeAlias(as(request), body.name, body), {
      ...writes("aliases.write", "changeAlias", "Change an alias's target"),
      body: takesBody(aliasChangeSchema),
      response: alias,
    })
    .delete("/aliases", ({ query: { name }, request }) => deleteAlias(as(request), name), {
      ...reads("aliases.write", "deleteAlias", "Delete an alias"),
      query: takesQuery(aliasQuery),
      response: alias,
    })
    .patch("/aliases/:name", ({ params: { name }, body, request }) => changeAlias(as(request), name, body), {
      ...writes("aliases.write", "changeNamedAlias", "Change the target of the alias in the URL"),
      body: takesBody(aliasTargetChangeSchema),
      response: alias,
    })
    .delete("/aliases/:name", ({ params: { name }, request }) => deleteAlias(as(request), name), {
      ...reads("aliases.write", "deleteNamedAlias", "Delete the alias in the URL"),
      response: alias,
    });
}
