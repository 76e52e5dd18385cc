// The actions on keys, each with the rights of its sender, on the keys that the sender sees.
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { KEY } from "../../core/things/key.ts";
import { actAs } from "../audit/audit-trail.ts";
import { keyChangeSchema, newKeySchema, rotationSchema } from "../keys/key-fields.ts";
import type { KeyRights } from "../keys/key-rights.ts";
import { makeKeyShow } from "../keys/key-show.ts";
import {
  addWarnings,
  checkedKeyDetailSchema,
  checkedKeySchema,
  checkedNewKeySchema,
  warnOfNoBoundById,
} from "../keys/key-warnings.ts";
import { createKey, keySchema, keysQuery, revokeKey, rotateKey, updateKey } from "../keys/keys.ts";
import { getKey, keyDetailSchema, keyInUseSchema, listKeysInUse } from "../keys/keys-in-use.ts";
import { putKey } from "../keys/put-by-name.ts";
import { budgetResetSchema, resetKeyBudgets } from "../limits/budget-reset.ts";
import { wrapRows } from "../schema.ts";
import type { OwnerParts } from "./accounts.ts";
import { type Caller, showMade, showPut, showView, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

export interface KeyUseParts extends OwnerParts {
  readonly catalogue: () => Catalogue;
}

export function makeKeyUses(parts: KeyUseParts): Uses<typeof KEY> {
  const { settings } = parts;
  const showKey = makeKeyShow(parts);
  const as = ({ act }: Caller) => actAs(parts, act);
  const readRights = ({ access }: Caller): KeyRights => {
    const { ownerLimits: limitRules, quota, signIn } = settings();
    const { keysMax = null, keysPerHour = null } = signIn?.members ?? {};
    return { access, limitRules, quota, personalKeysMax: keysMax, keysPerHour };
  };
  const makeWorld = (caller: Caller) => {
    const rights = readRights(caller);
    return { ...as(caller), ...rights, keysExpireInMs: rights.limitRules.keysExpireInMs };
  };
  return {
    list: takeQuery(keysQuery, showView(wrapRows(keyInUseSchema)), (query, { scope }) =>
      listKeysInUse(parts, query, scope),
    ),
    make: takeBody(newKeySchema, showMade(checkedNewKeySchema), async (body, caller) =>
      showKey(body, await createKey(makeWorld(caller), body)),
    ),
    read: takePath(showView(checkedKeyDetailSchema), async ({ id, scope }) =>
      addWarnings(await getKey(parts, id, scope), await warnOfNoBoundById(parts, id, settings())),
    ),
    change: takeBody(keyChangeSchema, showView(checkedKeySchema), async (body, caller) =>
      showKey(body, await updateKey(as(caller), caller.id, body, readRights(caller))),
    ),
    rotate: takeBody(rotationSchema, showMade(checkedNewKeySchema), async (body, caller) =>
      showKey({}, await rotateKey(as(caller), caller.id, body, readRights(caller))),
    ),
    resetBudgets: takeBody(budgetResetSchema, showMade(keyDetailSchema), (body, caller) =>
      resetKeyBudgets(as(caller), caller.id, body, caller.access),
    ),
    end: takePath(showView(keySchema), (caller) => revokeKey(as(caller), caller.id, readRights(caller))),
    put: takeBody(keyChangeSchema, showPut(checkedKeySchema, checkedNewKeySchema), async (body, caller) => {
      const place = { account: caller.readPart("account"), name: caller.readPart("name") };
      const { view } = await putKey(makeWorld(caller), place, body);
      return { isMade: "secret" in view, view: await showKey(body, view) };
    }),
  };
}
