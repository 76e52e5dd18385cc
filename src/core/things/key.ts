// A gateway key, of an account or of a person in it.
import { KEY_FIELDS } from "../fields/key.ts";
import type { Thing } from "./thing.ts";

export const KEY = {
  name: "key",
  tag: "Keys",
  fields: KEY_FIELDS,
  actions: {
    list: {
      id: "listKeys",
      method: "GET",
      path: "/keys",
      permission: "keys.read",
      summary: "List the keys with their remaining allowance and spending, newest first",
    },
    make: {
      id: "createKey",
      method: "POST",
      path: "/keys",
      permission: "own.keys.write",
      summary: "Create a key; its secret is shown only once",
      audit: "key.created",
      mayStopOlder: true,
    },
    read: {
      id: "getKey",
      method: "GET",
      path: "/keys/:id",
      permission: "keys.read",
      summary: "Get a key with its remaining allowance, its spending, and the use of its limits",
    },
    change: {
      id: "updateKey",
      method: "PATCH",
      path: "/keys/:id",
      permission: "own.keys.write",
      summary: "Change the given fields of a key; null removes a limit",
      audit: "key.changed",
      mayStopOlder: true,
    },
    rotate: {
      id: "rotateKey",
      method: "POST",
      path: "/keys/:id/rotate",
      permission: "own.keys.write",
      summary: "Replace a key's secret; the new one is shown only once",
      audit: "key.rotated",
    },
    resetBudgets: {
      id: "resetKeyBudgets",
      method: "POST",
      path: "/keys/:id/budgets/reset",
      permission: "keys.write",
      summary: "Forget what was used of a key's budgets in their running windows",
      audit: "budget.reset",
    },
    end: {
      id: "revokeKey",
      method: "DELETE",
      path: "/keys/:id",
      permission: "own.keys.write",
      summary: "Revoke a key permanently",
      audit: "key.revoked",
    },
    put: {
      id: "putKey",
      method: "PUT",
      path: "/keys/by-name/:account/:name",
      permission: "own.keys.write",
      summary: "Make the key of this account and name, or set all of its fields",
      audit: "key.changed",
      mayStopOlder: true,
    },
  },
} as const satisfies Thing;
