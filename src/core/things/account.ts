// An account, which pays. Its money has routes of its own.
import { ACCOUNT_FIELDS } from "../fields/account.ts";
import type { Thing } from "./thing.ts";

export const ACCOUNT = {
  name: "account",
  tag: "Accounts",
  fields: ACCOUNT_FIELDS,
  actions: {
    list: {
      id: "listAccounts",
      method: "GET",
      path: "/accounts",
      permission: "accounts.read",
      summary: "List the accounts, newest first",
    },
    make: {
      id: "createAccount",
      method: "POST",
      path: "/accounts",
      permission: "accounts.create",
      summary: "Create an account with an empty balance",
      audit: "account.created",
    },
    read: {
      id: "getAccount",
      method: "GET",
      path: "/accounts/:id",
      permission: "accounts.read",
      summary: "Get an account, or the total of `funding`, `revenue`, `overrun` or `receivable`",
    },
    change: {
      id: "updateAccount",
      method: "PATCH",
      path: "/accounts/:id",
      permission: "accounts.limit",
      summary: "Change the given fields of an account",
      audit: "account.changed",
    },
    resetBudgets: {
      id: "resetAccountBudgets",
      method: "POST",
      path: "/accounts/:id/budgets/reset",
      permission: "accounts.limit",
      summary: "Forget what was used of an account's own budgets in their running windows",
      audit: "budget.reset",
    },
    topUp: {
      id: "topUpAccount",
      method: "POST",
      path: "/accounts/:id/topups",
      permission: "money.move",
      summary: "Top up an account, once per `Idempotency-Key`",
      audit: "topup.made",
    },
    adjust: {
      id: "adjustAccount",
      method: "POST",
      path: "/accounts/:id/adjustments",
      permission: "money.move",
      summary: "Add to an account or take from it, with a reason, once per `Idempotency-Key`",
      audit: "adjustment.made",
    },
    close: {
      id: "closeAccount",
      method: "POST",
      path: "/accounts/:id/close",
      permission: "accounts.close",
      summary: "Close an account: revoke its keys, delete what is kept of it, and pay out its balance",
      audit: "account.closed",
    },
    reopen: {
      id: "reopenAccount",
      method: "POST",
      path: "/accounts/:id/reopen",
      permission: "accounts.close",
      summary: "Open a closed account again, with new keys",
      audit: "account.reopened",
    },
    put: {
      id: "putAccount",
      method: "PUT",
      path: "/accounts/by-name/:name",
      permission: "accounts.create",
      summary: "Make the account of this name, or set all of its fields",
      audit: "account.changed",
    },
  },
} as const satisfies Thing;
