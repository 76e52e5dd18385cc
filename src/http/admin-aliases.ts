// /admin/v1/aliases: the names of the operator's own for models, made, changed and deleted at run time.
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
} from "../admin/aliases.ts";
import { wrapRows } from "../admin/schema.ts";
import { forOperator, type WritingParts } from "./admin-route.ts";
import { answers, takesBody, takesQuery, tell } from "./route-schema.ts";

/** Names hold `/` and `#`, so that they may stand in the address, or beside it. */
export function aliasRoutes(operator: WritingParts, parts: AliasParts) {
  const { looks, sends } = forOperator(operator);
  const tag = "Aliases";
  const alias = answers(aliasSchema);
  return new Elysia({ prefix: "/admin/v1" })
    .get("/aliases", () => listAliases(parts), {
      ...looks,
      response: answers(wrapRows(aliasSchema)),
      ...tell(tag, "listAliases", "List the aliases: the file's, then the others"),
    })
    .post("/aliases", async ({ body, status }) => status(201, await createAlias(parts, body)), {
      ...sends,
      body: takesBody(newAliasSchema),
      response: { 201: alias },
      ...tell(tag, "createAlias", "Make an alias of a model, a selector or a group of models"),
    })
    .patch("/aliases", ({ body }) => changeAlias(parts, body.name, body), {
      ...sends,
      body: takesBody(aliasChangeSchema),
      response: alias,
      ...tell(tag, "changeAlias", "Change an alias's target"),
    })
    .delete("/aliases", ({ query: { name } }) => deleteAlias(parts, name), {
      ...looks,
      query: takesQuery(aliasQuery),
      response: alias,
      ...tell(tag, "deleteAlias", "Delete an alias"),
    })
    .patch("/aliases/:name", ({ params: { name }, body }) => changeAlias(parts, name, body), {
      ...sends,
      body: takesBody(aliasTargetChangeSchema),
      response: alias,
      ...tell(tag, "changeNamedAlias", "Change the target of the alias in the address"),
    })
    .delete("/aliases/:name", ({ params: { name } }) => deleteAlias(parts, name), {
      ...looks,
      response: alias,
      ...tell(tag, "deleteNamedAlias", "Delete the alias in the address"),
    });
}
