// /admin/v1: accounts and their money, and the settings, each narrowed to what the sender sees.
import { Elysia } from "elysia";
import { budgetResetSchema, resetAccountBudgets } from "../admin/limits/budget-reset.ts";
import { addLimits } from "../admin/limits/limits.ts";
import { pageQuery } from "../admin/list.ts";
import type { RequestParts } from "../admin/log/requests.ts";
import {
  accountChangeSchema,
  accountDetailSchema,
  accountSchema,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
  updateAccount,
} from "../admin/money/accounts.ts";
import { wrapRows } from "../admin/schema.ts";
import { actAsSender, createOperatorHooks } from "./admin-route.ts";
import type { KeyRouteParts, KeyRoutePorts } from "./keys/admin-keys.ts";
import { type LogParts, logRoutes } from "./log/admin-log.ts";
import { type SettingPorts, settingRoutes } from "./models/admin-settings.ts";
import { moneyRoutes } from "./money/admin-money.ts";
import { returnsBody, takesBody, takesQuery } from "./openapi/route-schema.ts";
import { readOperator } from "./people/operator.ts";

interface AdminPorts extends KeyRoutePorts, SettingPorts {
  readonly contentVault: RequestParts["contentVault"];
  readonly writeRefusals: LogParts["writeRefusals"];
  readonly providerNames: LogParts["providerNames"];
}

type Parts = KeyRouteParts & LogParts;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault, writeRefusals, providerNames, catalogue } = ports;
  const names = () => ({
    models: catalogue()
      .list()
      .map(({ id }) => id),
    providers: settings().providers.map(({ name }) => name),
    aliases: settings().aliases,
  });
  const rules = { dayRules: () => settings().quota, keepMs: () => settings().log.keepMs };
  const known = { names, providerNames };
  const parts: Parts = { ...ports.world, ledger, contentVault, ...rules, ...known, writeRefusals };
  return new Elysia()
    .use(logRoutes(ports, parts))
    .use(accountRoutes(ports, parts))
    .use(moneyRoutes(ports, parts))
    .use(settingRoutes(ports));
}

function accountRoutes(ports: AdminPorts, parts: Parts) {
  const { reads, writes } = createOperatorHooks(ports, "Accounts");
  const detail = returnsBody(accountDetailSchema);
  return new Elysia({ prefix: "/admin/v1" })
    .get("/accounts", ({ query, request }) => listAccounts(parts, query, readOperator(request).scope), {
      ...reads("accounts.read", "listAccounts", "List the accounts, newest first"),
      query: takesQuery(pageQuery),
      response: returnsBody(wrapRows(accountSchema)),
    })
    .post(
      "/accounts",
      async ({ body, status, request }) =>
        status(
          201,
          await addLimits(parts, "account", await createAccount(actAsSender(parts, request), body)),
        ),
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
          "Get an account, or the total of `funding`, `revenue`, `overrun` or `receivable`",
        ),
        response: detail,
      },
    )
    .use(accountChangeRoutes(ports, parts));
}

function accountChangeRoutes(ports: AdminPorts, parts: Parts) {
  const as = (request: Request) => actAsSender(parts, request);
  const { writes } = createOperatorHooks(ports, "Accounts");
  const detail = returnsBody(accountDetailSchema);
  return new Elysia()
    .patch(
      "/accounts/:id",
      async ({ params: { id }, body, request }) =>
        addLimits(parts, "account", await updateAccount(as(request), id, body, readOperator(request).access)),
      {
        ...writes("accounts.limit", "updateAccount", "Change the given fields of an account"),
        body: takesBody(accountChangeSchema),
        response: detail,
      },
    )
    .post(
      "/accounts/:id/budgets/reset",
      async ({ params: { id }, body, request, status }) => {
        const account = await resetAccountBudgets(as(request), id, body, readOperator(request).access);
        return status(201, await addLimits(parts, "account", account));
      },
      {
        ...writes(
          "accounts.limit",
          "resetAccountBudgets",
          "Forget what was used of an account's own budgets in their running windows",
        ),
        body: takesBody(budgetResetSchema),
        response: { 201: detail },
      },
    );
}
