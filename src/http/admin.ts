// /admin/v1: accounts and their money, keys, figures, the request log and the settings, for the operator's token.
import { Elysia } from "elysia";
import {
  accountChangeSchema,
  accountDetailSchema,
  accountSchema,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
  updateAccount,
} from "../admin/accounts.ts";
import { budgetResetSchema, type ResetParts, resetKeyBudgets } from "../admin/budget-reset.ts";
import { entrySchema, listJournal } from "../admin/journal.ts";
import { keyChangeSchema, newKeySchema, rotationSchema } from "../admin/key-fields.ts";
import {
  addWarnings,
  checkedKeyDetailSchema,
  checkedKeySchema,
  checkedNewKeySchema,
  warnOfNoBound,
} from "../admin/key-warnings.ts";
import {
  createKey,
  getKey,
  keyDetailSchema,
  keyInUseSchema,
  keySchema,
  keysQuery,
  listKeysInUse,
  revokeKey,
  rotateKey,
  updateKey,
} from "../admin/keys.ts";
import { addLimits } from "../admin/limits.ts";
import { pageQuery } from "../admin/list.ts";
import { listNearing, nearingSchema } from "../admin/nearing.ts";
import type { RequestParts } from "../admin/requests.ts";
import { wrapRows } from "../admin/schema.ts";
import { topUpAccount, topUpSchema } from "../admin/topups.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type LogParts, logRoutes } from "./admin-log.ts";
import { actAsSender, createOperatorHooks } from "./admin-route.ts";
import { type SettingPorts, settingRoutes } from "./admin-settings.ts";
import { makeKeyShow } from "./key-show.ts";
import { returnsBody, takesBody, takesQuery } from "./route-schema.ts";

interface AdminPorts extends SettingPorts {
  readonly ledger: ResetParts["ledger"];
  readonly contentVault: RequestParts["contentVault"];
  readonly catalogue: () => Catalogue;
  readonly writeRefusals: LogParts["writeRefusals"];
}

type Parts = AdminWorld & ResetParts & LogParts;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault, writeRefusals, catalogue } = ports;
  const names = () => ({
    models: catalogue()
      .list()
      .map(({ id }) => id),
    providers: settings().providers.map(({ name }) => name),
    aliases: settings().aliases,
  });
  const dayRules = () => settings().quota;
  const parts: Parts = { ...ports.world, ledger, contentVault, dayRules, names, writeRefusals };
  return new Elysia()
    .use(logRoutes(ports, parts))
    .use(prefixedRoutes(ports, parts))
    .use(settingRoutes(ports));
}

function prefixedRoutes(ports: AdminPorts, parts: Parts) {
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(ports, parts))
    .use(keyRoutes(ports, parts))
    .use(heldKeyRoutes(ports, parts));
}

function accountRoutes(ports: AdminPorts, parts: Parts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Accounts");
  const account = returnsBody(accountSchema);
  const detail = returnsBody(accountDetailSchema);
  return new Elysia()
    .get("/accounts", ({ query }) => listAccounts(parts, query), {
      ...reads("accounts.read", "listAccounts", "List the accounts, newest first"),
      query: takesQuery(pageQuery),
      response: returnsBody(wrapRows(accountSchema)),
    })
    .post(
      "/accounts",
      async ({ body, status, request }) =>
        status(201, await addLimits(parts, "account", await createAccount(as(request), body))),
      {
        ...writes("accounts.create", "createAccount", "Create an account with an empty balance"),
        body: takesBody(newAccountSchema),
        response: { 201: detail },
      },
    )
    .get(
      "/accounts/:id",
      async ({ params: { id } }) => addLimits(parts, "account", await getAccount(parts, id)),
      {
        ...reads(
          "accounts.read",
          "getAccount",
          "Get an account, or the total of `funding`, `revenue` or `overrun`",
        ),
        response: detail,
      },
    )
    .patch(
      "/accounts/:id",
      async ({ params: { id }, body, request }) =>
        addLimits(parts, "account", await updateAccount(as(request), id, body)),
      {
        ...writes("accounts.limit", "updateAccount", "Change the given fields of an account"),
        body: takesBody(accountChangeSchema),
        response: detail,
      },
    )
    .post(
      "/accounts/:id/topups",
      async ({ params: { id }, body, request, status }) =>
        status(201, await topUpAccount(as(request), id, body, request.headers.get("idempotency-key"))),
      {
        ...writes("money.move", "topUpAccount", "Top up an account, once per `Idempotency-Key`"),
        body: takesBody(topUpSchema),
        response: { 201: account },
      },
    )
    .get("/accounts/:id/journal", ({ params: { id }, query }) => listJournal(parts, id, query), {
      ...reads("journal.read", "listJournal", "List an account's journal entries, newest first"),
      query: takesQuery(pageQuery),
      response: returnsBody(wrapRows(entrySchema)),
    });
}

function keyRoutes(ports: AdminPorts, parts: Parts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...ports, ...parts });
  const makeKeyWorld = (request: Request) => ({
    ...as(request),
    keysExpireInMs: ports.settings().ownerLimits.keysExpireInMs,
  });
  return new Elysia()
    .get("/keys", ({ query }) => listKeysInUse(parts, query), {
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
      async ({ body, status, request }) =>
        status(201, await show(body, await createKey(makeKeyWorld(request), body))),
      {
        ...writes("own.keys.write", "createKey", "Create a key; its secret is shown only once"),
        body: takesBody(newKeySchema),
        response: { 201: returnsBody(checkedNewKeySchema) },
      },
    )
    .get(
      "/keys/:id",
      async ({ params: { id } }) =>
        addWarnings(await getKey(parts, id), await warnOfNoBound(parts, id, ports.settings())),
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
      async ({ params: { id }, body, request }) => show(body, await updateKey(as(request), id, body)),
      {
        ...writes("own.keys.write", "updateKey", "Change the given fields of a key; null removes a limit"),
        body: takesBody(keyChangeSchema),
        response: returnsBody(checkedKeySchema),
      },
    );
}

/** Returns the routes on the secret of a key, on the use of its budgets, and on its end. */
function heldKeyRoutes(ports: AdminPorts, parts: Parts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...ports, ...parts });
  return new Elysia()
    .post(
      "/keys/:id/rotate",
      async ({ params: { id }, body, status, request }) =>
        status(201, await show({}, await rotateKey(as(request), id, body))),
      {
        ...writes("own.keys.write", "rotateKey", "Replace a key's secret; the new one is shown only once"),
        body: takesBody(rotationSchema),
        response: { 201: returnsBody(checkedNewKeySchema) },
      },
    )
    .post(
      "/keys/:id/budgets/reset",
      async ({ params: { id }, body, status, request }) =>
        status(201, await resetKeyBudgets(as(request), id, body)),
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
    .get("/nearing", () => listNearing(parts), {
      ...reads(
        "keys.read",
        "listNearing",
        "List the keys and accounts whose budgets are nearest to their end",
      ),
      response: returnsBody(wrapRows(nearingSchema)),
    })
    .delete("/keys/:id", ({ params: { id }, request }) => revokeKey(as(request), id), {
      ...reads("own.keys.write", "revokeKey", "Revoke a key permanently"),
      response: returnsBody(keySchema),
    });
}
