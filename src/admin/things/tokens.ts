// The actions on named tokens.
import type { TOKEN } from "../../core/things/token.ts";
import { actAs } from "../audit/audit-trail.ts";
import { anyTokenSchema, createAnyToken } from "../people/directory-tokens.ts";
import { createdTokenSchema, listTokens, revokeToken, tokenSchema } from "../people/named-tokens.ts";
import { takenTokenSchema, takeToken } from "../people/taken-tokens.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { showMade, showView, takeBody, takePath, type Uses } from "./use.ts";

export function makeTokenUses(world: AdminWorld): Uses<typeof TOKEN> {
  return {
    list: takePath(showView(wrapRows(tokenSchema)), ({ access }) => listTokens(world, access)),
    make: takeBody(anyTokenSchema, showMade(createdTokenSchema), (body, { act, access }) =>
      createAnyToken(actAs(world, act), body, access),
    ),
    take: takeBody(takenTokenSchema, showMade(createdTokenSchema), (_, { act, id, access }) =>
      takeToken(actAs(world, act), id, access),
    ),
    end: takePath(showView(tokenSchema), ({ act, id, access }) => revokeToken(actAs(world, act), id, access)),
  };
}
