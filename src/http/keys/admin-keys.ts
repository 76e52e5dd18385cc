// /admin/v1/keys: each route acts with the rights of its sender, on the keys that the sender sees.
import { Elysia } from "elysia";
import { keyChangeSchema, newKeySchema, rotationSchema } from "../../admin/keys/key-fields.ts";
import type { KeyRights } from "../../admin/keys/key-rights.ts";
import {
  addWarnings,
  checkedKeyDetailSchema,
  checkedKeySchema,
  checkedNewKeySchema,
  warnOfNoBound,
} from "../../admin/keys/key-warnings.ts";
import { createKey, keySchema, keysQuery, revokeKey, rotateKey, updateKey } from "../../admin/keys/keys.ts";
import { getKey, keyDetailSchema, keyInUseSchema, listKeysInUse } from "../../admin/keys/keys-in-use.ts";
import { budgetResetSchema, type ResetParts, resetKeyBudgets } from "../../admin/limits/budget-reset.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Settings } from "../../core/settings.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { makeKeyShow } from "./key-show.ts";

export interface KeyRoutePorts extends WritingParts {
  readonly ledger: ResetParts["ledger"];
  /** Returns the current settings. */
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
}

export type KeyRouteParts = AdminWorld & ResetParts;

export function keyAdminRoutes(ports: KeyRoutePorts) {
  const { world, ledger, settings } = ports;
  const parts: KeyRouteParts = { ...world, ledger, dayRules: () => settings().quota };
  return new Elysia({ prefix: "/admin/v1" })
    .use(shownKeyRoutes(ports, parts))
    .use(heldKeyRoutes(ports, parts));
}

/** Returns a function that reads what the sender of a request may do with keys. */
export function makeRights({ settings }: Pick<KeyRoutePorts, "settings">) {
  return (request: Request): KeyRights => {
    const { ownerLimits: limitRules, quota, signIn } = settings();
    const personalKeysMax = signIn?.members.keysMax ?? null;
    return { access: readOperator(request).access, limitRules, quota, personalKeysMax };
  };
}

function shownKeyRoutes(ports: KeyRoutePorts, parts: KeyRouteParts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...ports, ...parts });
  const readRights = makeRights(ports);
  return new Elysia()
    .use(keyListRoutes(ports, parts))
    .get(
      "/keys/:id",
      async ({ params: { id }, request }) =>
        addWarnings(
          await getKey(parts, id, readOperator(request).scope),
          await warnOfNoBound(parts, id, ports.settings()),
        ),
      {
        ...reads(
          "keys.read",
          "getKey",
          "Get a key with its remaining allowance, its spending, and the use of its limits",
        ),
        response: returnsBody(checkedKeyDetailSchema),
      },
    )
    .patch(
      "/keys/:id",
      async ({ params: { id }, body, request }) =>
        show(body, await updateKey(as(request), id, body, readRights(request))),
      {
        ...writes("own.keys.write", "updateKey", "Change the given fields of a key; null removes a limit"),
        body: takesBody(keyChangeSchema),
        response: returnsBody(checkedKeySchema),
      },
    );
}

/** Returns the routes that list the keys, and create one. */
function keyListRoutes(ports: KeyRoutePorts, parts: KeyRouteParts) {
  const { reads, writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...ports, ...parts });
  const readRights = makeRights(ports);
  const makeKeyWorld = (request: Request) => {
    const rights = readRights(request);
    return {
      ...actAsSender(parts, request),
      ...rights,
      keysExpireInMs: rights.limitRules.keysExpireInMs,
    };
  };
  return new Elysia()
    .get("/keys", ({ query, request }) => listKeysInUse(parts, query, readOperator(request).scope), {
      ...reads(
        "keys.read",
        "listKeys",
        "List the keys with their remaining allowance and spending, newest first",
      ),
      query: takesQuery(keysQuery),
      response: returnsBody(wrapRows(keyInUseSchema)),
    })
    .post(
      "/keys",
      async ({ body, request, status }) =>
        status(201, await show(body, await createKey(makeKeyWorld(request), body))),
      {
        ...writes("own.keys.write", "createKey", "Create a key; its secret is shown only once"),
        body: takesBody(newKeySchema),
        response: { 201: returnsBody(checkedNewKeySchema) },
      },
    );
}

/** Returns the routes on the secret of a key, on the use of its budgets, and on its end. */
function heldKeyRoutes(ports: KeyRoutePorts, parts: KeyRouteParts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...ports, ...parts });
  const readRights = makeRights(ports);
  return new Elysia()
    .post(
      "/keys/:id/rotate",
      async ({ params: { id }, body, request, status }) =>
        status(201, await show({}, await rotateKey(as(request), id, body, readRights(request)))),
      {
        ...writes("own.keys.write", "rotateKey", "Replace a key's secret; the new one is shown only once"),
        body: takesBody(rotationSchema),
        response: { 201: returnsBody(checkedNewKeySchema) },
      },
    )
    .post(
      "/keys/:id/budgets/reset",
      async ({ params: { id }, body, request, status }) =>
        status(201, await resetKeyBudgets(as(request), id, body, readOperator(request).access)),
      {
        ...writes(
          "keys.write",
          "resetKeyBudgets",
          "Forget what was used of a key's budgets in their running windows",
        ),
        body: takesBody(budgetResetSchema),
        response: { 201: returnsBody(keyDetailSchema) },
      },
    )
    .delete("/keys/:id", ({ params: { id }, request }) => revokeKey(as(request), id, readRights(request)), {
      ...reads("own.keys.write", "revokeKey", "Revoke a key permanently"),
      response: returnsBody(keySchema),
    });
}
