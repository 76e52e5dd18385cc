// /admin/v1/aliases: the names of the operator's own for models, made, changed and deleted at run time.
import { Elysia } from "elysia";
import { type AliasParts, changeAlias, createAlias, deleteAlias, listAliases } from "../admin/aliases.ts";
import { groupRoutes, options, type WritingParts } from "./admin-route.ts";
import { bearerToken } from "./auth.ts";

export function aliasRoutes(operator: WritingParts, parts: AliasParts) {
  const by = groupRoutes(operator, parts);
  const list = by((_) => listAliases(parts));
  const make = by(async (_, __, at) => createAlias(parts, await at.body()), 201);
  const change = by(async (_, name, at) => changeAlias(parts, name, await at.body()));
  const remove = by((_, name, { query }) => deleteAlias(parts, name, query));
  return new Elysia({ prefix: "/admin/v1" })
    .use(bearerToken())
    .get("/aliases", list, options)
    .post("/aliases", make, options)
    .patch("/aliases", change, options)
    .delete("/aliases", remove, options)
    .patch("/aliases/:id", change, options)
    .delete("/aliases/:id", remove, options);
}
