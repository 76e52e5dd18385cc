// An alias: another name for a model, a selector or a group of models. Its target is checked against the catalogue.
import type { Thing } from "./thing.ts";

export const ALIAS = {
  name: "alias",
  tag: "Aliases",
  actions: {
    list: {
      id: "listAliases",
      method: "GET",
      path: "/aliases",
      permission: "models.read",
      summary: "List the aliases, those in the configuration file first",
    },
    make: {
      id: "createAlias",
      method: "POST",
      path: "/aliases",
      permission: "aliases.write",
      summary: "Create an alias for a model, a selector or a group of models",
      audit: "alias.created",
    },
    change: {
      id: "changeAlias",
      method: "PATCH",
      path: "/aliases",
      permission: "aliases.write",
      summary: "Change an alias's target",
      audit: "alias.changed",
    },
    end: {
      id: "deleteAlias",
      method: "DELETE",
      path: "/aliases",
      permission: "aliases.write",
      summary: "Delete an alias",
      audit: "alias.deleted",
    },
    changeNamed: {
      id: "changeNamedAlias",
      method: "PATCH",
      path: "/aliases/:name",
      permission: "aliases.write",
      summary: "Change the target of the alias in the URL",
      audit: "alias.changed",
    },
    endNamed: {
      id: "deleteNamedAlias",
      method: "DELETE",
      path: "/aliases/:name",
      permission: "aliases.write",
      summary: "Delete the alias in the URL",
      audit: "alias.deleted",
    },
  },
} as const satisfies Thing;
