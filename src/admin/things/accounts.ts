// The actions on accounts and their money.
import type { Permission } from "../../core/people/permissions.ts";
import type { Settings } from "../../core/settings.ts";
import { ACCOUNT } from "../../core/things/account.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { actAs } from "../audit/audit-trail.ts";
import { putAccount } from "../keys/put-by-name.ts";
import { budgetResetSchema, type ResetParts, resetAccountBudgets } from "../limits/budget-reset.ts";
import { addLimits } from "../limits/limits.ts";
import {
  accountChangeSchema,
  accountDetailSchema,
  accountSchema,
  accountsQuery,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
  requireInAccount,
  updateAccount,
} from "../money/accounts.ts";
import { closeAccount, closingSchema, reopenAccount, reopeningSchema } from "../money/closing.ts";
import { refuseRuleName } from "../money/rule-names.ts";
import { adjustAccount, adjustmentSchema, topUpAccount, topUpSchema } from "../money/topups.ts";
import { wrapRows } from "../schema.ts";
import { readSortCosts } from "../sort-costs.ts";
import type { AdminWorld } from "../world.ts";
import { type Caller, showMade, showPut, showView, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

/** The parts of the gateway that the actions on accounts and keys need. */
export interface OwnerParts extends AdminWorld, ResetParts {
  /** Returns the current settings. */
  readonly settings: () => Settings;
  readonly dayRules: () => DayRules;
}

export function makeAccountUses(parts: OwnerParts): Uses<typeof ACCOUNT> {
  return { ...makeOwnUses(parts), ...makeMoneyUses(parts) };
}

function makeOwnUses(parts: OwnerParts) {
  const detail = showView(accountDetailSchema);
  const as = ({ act }: Caller) => actAs(parts, act);
  const refuseName = (name: string, ownId: string | null) =>
    refuseRuleName({ store: parts.store, signIn: parts.settings().signIn }, name, ownId);
  return {
    list: takeQuery(accountsQuery, showView(wrapRows(accountSchema)), (query, { scope, access }) =>
      listAccounts(parts, query, scope, readSortCosts(parts, access)),
    ),
    make: takeBody(newAccountSchema, showMade(accountDetailSchema), async (body, caller) => {
      await refuseName(body.name, null);
      return addLimits(parts, await createAccount(as(caller), body, caller.access));
    }),
    read: takePath(detail, async ({ id, scope }) => addLimits(parts, await getAccount(parts, id, scope))),
    change: takeBody(accountChangeSchema, detail, async (body, caller) => {
      await requireInAccount(parts, caller.access, "accounts.limit", caller.id);
      if (body.name !== undefined) await refuseName(body.name, caller.id);
      return addLimits(parts, await updateAccount(as(caller), caller.id, body, caller.access));
    }),
    resetBudgets: takeBody(budgetResetSchema, showMade(accountDetailSchema), async (body, caller) =>
      addLimits(parts, await resetAccountBudgets(as(caller), caller.id, body, caller.access)),
    ),
    put: takeBody(
      accountChangeSchema,
      showPut(accountDetailSchema, accountDetailSchema),
      async (body, caller) => {
        const there = await parts.store.accountsNamed(caller.id.trim());
        if (there.length === 0) await refuseName(caller.id, null);
        const { isMade, view } = await putAccount(as(caller), caller.id, body, caller.access);
        return { isMade, view: await addLimits(parts, view) };
      },
    ),
  };
}

function makeMoneyUses(parts: OwnerParts) {
  const { topUp, adjust, close, reopen } = ACCOUNT.actions;
  /** Returns the world of a sender who has the action's permission in the account. */
  const enter = async ({ act, access, id }: Caller, { permission }: { readonly permission: Permission }) => {
    await requireInAccount(parts, access, permission, id);
    return { ...actAs(parts, act), timeZone: parts.dayRules().timeZone };
  };
  return {
    topUp: takeBody(topUpSchema, showMade(accountSchema), async (body, caller) =>
      topUpAccount(await enter(caller, topUp), caller.id, body, caller.idempotencyKey),
    ),
    adjust: takeBody(adjustmentSchema, showMade(accountSchema), async (body, caller) =>
      adjustAccount(await enter(caller, adjust), caller.id, body, caller.idempotencyKey),
    ),
    close: takeBody(closingSchema, showView(accountSchema), async (body, caller) =>
      closeAccount(await enter(caller, close), caller.id, body),
    ),
    reopen: takeBody(reopeningSchema, showView(accountSchema), async (body, caller) => {
      const world = await enter(caller, reopen);
      const account = await parts.store.account(caller.id);
      const { signIn } = parts.settings();
      if (account !== null) await refuseRuleName({ store: parts.store, signIn }, account.name, account.id);
      return reopenAccount(world, caller.id, body);
    }),
  };
}
