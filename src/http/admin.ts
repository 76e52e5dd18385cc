// /admin/v1: accounts and their money, and the settings, each narrowed to what the sender sees.
import { Elysia } from "elysia";
import {
  accountChangeSchema,
  accountDetailSchema,
  accountSchema,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
  requireInAccount,
  updateAccount,
} from "../admin/accounts.ts";
import { entrySchema, listJournal } from "../admin/journal.ts";
import { addLimits } from "../admin/limits.ts";
import { pageQuery } from "../admin/list.ts";
import { listNearing, nearingSchema } from "../admin/nearing.ts";
import type { RequestParts } from "../admin/requests.ts";
import { wrapRows } from "../admin/schema.ts";
import { topUpAccount, topUpSchema } from "../admin/topups.ts";
import type { KeyRouteParts, KeyRoutePorts } from "./admin-keys.ts";
import { type LogParts, logRoutes } from "./admin-log.ts";
import { actAsSender, createOperatorHooks } from "./admin-route.ts";
import { type SettingPorts, settingRoutes } from "./admin-settings.ts";
import { readOperator } from "./operator.ts";
import { returnsBody, takesBody, takesQuery } from "./route-schema.ts";

interface AdminPorts extends KeyRoutePorts, SettingPorts {
  readonly contentVault: RequestParts["contentVault"];
  readonly writeRefusals: LogParts["writeRefusals"];
}

type Parts = KeyRouteParts & LogParts;

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
  return new Elysia({ prefix: "/admin/v1" }).use(accountRoutes(ports, parts)).use(moneyRoutes(ports, parts));
}

function accountRoutes(ports: AdminPorts, parts: Parts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { reads, writes } = createOperatorHooks(ports, "Accounts");
  const detail = returnsBody(accountDetailSchema);
  return new Elysia()
    .get("/accounts", ({ query, request }) => listAccounts(parts, query, readOperator(request).scope), {
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
      async ({ params: { id }, request }) =>
        addLimits(parts, "account", await getAccount(parts, id, readOperator(request).scope)),
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
        addLimits(parts, "account", await updateAccount(as(request), id, body, readOperator(request).access)),
      {
        ...writes("accounts.limit", "updateAccount", "Change the given fields of an account"),
        body: takesBody(accountChangeSchema),
        response: detail,
      },
    );
}

/** Returns the routes on an account's money. */
function moneyRoutes(ports: AdminPorts, parts: Parts) {
  const { reads, writes } = createOperatorHooks(ports, "Accounts");
  return new Elysia()
    .post(
      "/accounts/:id/topups",
      async ({ params: { id }, body, request, status }) => {
        await requireInAccount(parts, readOperator(request).access, "money.move", id);
        const world = actAsSender(parts, request);
        return status(201, await topUpAccount(world, id, body, request.headers.get("idempotency-key")));
      },
      {
        ...writes("money.move", "topUpAccount", "Top up an account, once per `Idempotency-Key`"),
        body: takesBody(topUpSchema),
        response: { 201: returnsBody(accountSchema) },
      },
    )
    .get(
      "/accounts/:id/journal",
      async ({ params: { id }, query, request }) => {
        const { access, scope } = readOperator(request);
        await requireInAccount(parts, access, "journal.read", id);
        return listJournal(parts, id, query, scope);
      },
      {
        ...reads("journal.read", "listJournal", "List an account's journal entries, newest first"),
        query: takesQuery(pageQuery),
        response: returnsBody(wrapRows(entrySchema)),
      },
    )
    .get("/nearing", ({ request }) => listNearing(parts, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "listNearing",
        "List the keys, members and accounts whose budgets are nearest to their end",
      ),
      response: returnsBody(wrapRows(nearingSchema)),
    });
}
