// The actions on aliases. Their names may contain `/` and `#`, so that they can be given in the path or beside it.
import type { Static } from "@sinclair/typebox";
import type { AuditFacts } from "../../core/audit/audit-log.ts";
import type { ALIAS } from "../../core/things/alias.ts";
import { actAs } from "../audit/audit-trail.ts";
import { checkMove, listPaidHolders, nameHolders } from "../models/alias-holders.ts";
import {
  type AliasParts,
  aliasChangeSchema,
  aliasQuery,
  aliasSchema,
  aliasTargetChangeSchema,
  changeAlias,
  createAlias,
  deleteAlias,
  findStoredAlias,
  listAliases,
  newAliasSchema,
} from "../models/aliases.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { type Caller, showMade, showView, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

export function makeAliasUses(world: AdminWorld, parts: AliasParts): Uses<typeof ALIAS> {
  const as = ({ act }: Caller) => ({ ...parts, changes: actAs(world, act).changes });
  const move = async (caller: Caller, name: string, change: Static<typeof aliasTargetChangeSchema>) => {
    const holders = await listPaidHolders(world, await findStoredAlias(parts, name));
    checkMove(caller.access, name, holders);
    const named = holders.length === 0 ? {} : nameHolders(holders);
    const add = (facts: AuditFacts) => ({ ...facts, after: facts.after && { ...facts.after, ...named } });
    const { changes } = actAs(world, caller.act, [], add);
    return changeAlias({ ...parts, changes }, name, change);
  };
  const alias = showView(aliasSchema);
  return {
    list: takePath(showView(wrapRows(aliasSchema)), () => listAliases(parts)),
    make: takeBody(newAliasSchema, showMade(aliasSchema), (body, caller) => createAlias(as(caller), body)),
    change: takeBody(aliasChangeSchema, alias, (body, caller) =>
      move(caller, body.name, { target: body.target }),
    ),
    end: takeQuery(aliasQuery, alias, ({ name }, caller) => deleteAlias(as(caller), name)),
    changeNamed: takeBody(aliasTargetChangeSchema, alias, (body, caller) => move(caller, caller.id, body)),
    endNamed: takePath(alias, (caller) => deleteAlias(as(caller), caller.id)),
  };
}
