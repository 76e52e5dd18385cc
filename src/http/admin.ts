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
import {
  forgetLessons,
  forgottenSchema,
  type LearnedView,
  learnedSchema,
  lessonsQuery,
} from "../admin/lessons.ts";
import { addLimits } from "../admin/limits.ts";
import { pageQuery } from "../admin/list.ts";
import { listNearing, nearingSchema } from "../admin/nearing.ts";
import type { RequestParts } from "../admin/requests.ts";
import { listRetiring, retiringSchema } from "../admin/retiring.ts";
import { wrapRows } from "../admin/schema.ts";
import { cardSchema, settingsSchema } from "../admin/settings-schema.ts";
import { topUpAccount, topUpSchema } from "../admin/topups.ts";
import type { KeyRouteParts, KeyRoutePorts } from "./admin-keys.ts";
import { type LogParts, logRoutes } from "./admin-log.ts";
import { createOperatorHooks } from "./admin-route.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";
import { readOperator } from "./operator.ts";
import { returnsBody, takesBody, takesQuery } from "./route-schema.ts";

interface AdminPorts extends KeyRoutePorts, Running {
  readonly contentVault: RequestParts["contentVault"];
  /** Returns what this node's selectors have learned about each model. */
  readonly learned: () => readonly LearnedView[];
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
  return new Elysia().use(logRoutes(ports, parts)).use(prefixedRoutes(ports, parts));
}

function prefixedRoutes(ports: AdminPorts, parts: Parts) {
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(ports, parts))
    .use(moneyRoutes(ports, parts))
    .use(settingRoutes(ports, parts));
}

function accountRoutes(ports: AdminPorts, parts: Parts) {
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
      async ({ body, status }) =>
        status(201, await addLimits(parts, "account", await createAccount(parts, body))),
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
        addLimits(parts, "account", await updateAccount(parts, id, body, readOperator(request).access)),
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
        return status(201, await topUpAccount(parts, id, body, request.headers.get("idempotency-key")));
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

function settingRoutes(ports: AdminPorts, parts: Parts) {
  const { reads } = createOperatorHooks(ports, "Settings");
  const retiringParts = { ...parts, cards: () => ports.catalogue().list() };
  return new Elysia()
    .get("/models", () => modelsView(ports.settings(), parts.clock.nowMs()), {
      ...reads("models.read", "listCards", "List all known models, enabled or not"),
      response: returnsBody(wrapRows(cardSchema)),
    })
    .get("/models/retiring", ({ request }) => listRetiring(retiringParts, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "listRetiring",
        "List the enabled models that their provider will end, with the keys that use them",
      ),
      response: returnsBody(wrapRows(retiringSchema)),
    })
    .get("/settings", () => settingsView(ports.settings(), ports), {
      ...reads("settings.read", "getSettings", "Get the current configuration, without secrets"),
      response: returnsBody(settingsSchema),
    })
    .get("/learned", () => ({ data: ports.learned(), next: null }), {
      ...reads("settings.read", "listLearned", "List what the selectors have learned about each model"),
      response: returnsBody(wrapRows(learnedSchema)),
    })
    .delete("/learned", ({ query: { model = null } }) => forgetLessons(parts, model), {
      ...reads("learning.write", "forgetLearned", "Forget what was learned about all models, or about one"),
      query: takesQuery(lessonsQuery),
      response: returnsBody(forgottenSchema),
    });
}
