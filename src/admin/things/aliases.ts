// The actions on aliases. Their names may contain `/` and `#`, so that they can be given in the path or beside it.
import type { ALIAS } from "../../core/things/alias.ts";
import { actAs } from "../audit/audit-trail.ts";
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
} from "../models/aliases.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { type Caller, show, showMade, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

export function makeAliasUses(world: AdminWorld, parts: AliasParts): Uses<typeof ALIAS> {
  const as = ({ act }: Caller) => ({ ...parts, changes: actAs(world, act).changes });
  const alias = show(aliasSchema);
  return {
    list: takePath(show(wrapRows(aliasSchema)), () => listAliases(parts)),
    make: takeBody(newAliasSchema, showMade(aliasSchema), (body, caller) => createAlias(as(caller), body)),
    change: takeBody(aliasChangeSchema, alias, (body, caller) => changeAlias(as(caller), body.name, body)),
    end: takeQuery(aliasQuery, alias, ({ name }, caller) => deleteAlias(as(caller), name)),
    changeNamed: takeBody(aliasTargetChangeSchema, alias, (body, caller) =>
      changeAlias(as(caller), caller.id, body),
    ),
    endNamed: takePath(alias, (caller) => deleteAlias(as(caller), caller.id)),
  };
}
