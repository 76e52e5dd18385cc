// /admin/v1: accounts and their money, keys, figures, the request log and the settings, for the operator's token.
import { Elysia } from "elysia";
import {
  accountChangeSchema,
  accountSchema,
  createAccount,
  getAccount,
  listAccounts,
  newAccountSchema,
  updateAccount,
} from "../admin/accounts.ts";
import { entrySchema, listJournal } from "../admin/journal.ts";
import {
  createKey,
  getKey,
  type KeyParts,
  keyChangeSchema,
  keyInUseSchema,
  keySchema,
  keysQuery,
  listKeysInUse,
  madeKeySchema,
  newKeySchema,
  revokeKey,
  updateKey,
} from "../admin/keys.ts";
import {
  forgetLessons,
  forgottenSchema,
  type LearnedView,
  learnedSchema,
  lessonsQuery,
} from "../admin/lessons.ts";
import { pageQuery } from "../admin/list.ts";
import { overview, overviewQuery, overviewSchema } from "../admin/overview.ts";
import { requestDetailSchema, requestSchema, requestsQuery } from "../admin/request-schema.ts";
import { getRequest, listRequests, type RequestParts } from "../admin/requests.ts";
import { savingsQuery, savingsSchema, sumSavings } from "../admin/savings.ts";
import { wrapRows } from "../admin/schema.ts";
import { cardSchema, settingsSchema } from "../admin/settings-schema.ts";
import { topUpAccount, topUpSchema } from "../admin/topups.ts";
import { sumUsage, usageQuery, usageSchema } from "../admin/usage.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Settings } from "../core/settings.ts";
import { forOperator, type WritingParts } from "./admin-route.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";
import { answers, takesBody, takesQuery } from "./route-schema.ts";

interface AdminPorts extends WritingParts, Running {
  readonly ledger: KeyParts["ledger"];
  readonly contentVault: RequestParts["contentVault"];
  /** Returns the current settings. */
  readonly settings: () => Settings;
  /** Returns what this node's selectors have learned about each model. */
  readonly learned: () => readonly LearnedView[];
}

type Parts = AdminWorld & KeyParts & RequestParts;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault } = ports;
  const parts: Parts = { ...ports.world, ledger, contentVault, dayRules: () => settings().quota };
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(ports, parts))
    .use(keyRoutes(ports, parts))
    .use(logRoutes(ports, parts))
    .use(settingRoutes(ports, parts));
}

function accountRoutes(ports: AdminPorts, parts: Parts) {
  const { looks, sends } = forOperator(ports, "Accounts");
  const account = answers(accountSchema);
  return new Elysia()
    .get("/accounts", ({ query }) => listAccounts(parts, query), {
      ...looks("listAccounts", "List the accounts, newest first"),
      query: takesQuery(pageQuery),
      response: answers(wrapRows(accountSchema)),
    })
    .post("/accounts", async ({ body, status }) => status(201, await createAccount(parts, body)), {
      ...sends("createAccount", "Make an account with nothing on it"),
      body: takesBody(newAccountSchema),
      response: { 201: account },
    })
    .get("/accounts/:id", ({ params: { id } }) => getAccount(parts, id), {
      ...looks("getAccount", "An account, or what `funding`, `revenue` and `overrun` come to"),
      response: account,
    })
    .patch("/accounts/:id", ({ params: { id }, body }) => updateAccount(parts, id, body), {
      ...sends("updateAccount", "Rename an account"),
      body: takesBody(accountChangeSchema),
      response: account,
    })
    .post(
      "/accounts/:id/topups",
      async ({ params: { id }, body, request, status }) =>
        status(201, await topUpAccount(parts, id, body, request.headers.get("idempotency-key"))),
      {
        ...sends("topUpAccount", "Top an account up; once for each `Idempotency-Key`"),
        body: takesBody(topUpSchema),
        response: { 201: account },
      },
    )
    .get("/accounts/:id/journal", ({ params: { id }, query }) => listJournal(parts, id, query), {
      ...looks("listJournal", "List an account's movements, newest first"),
      query: takesQuery(pageQuery),
      response: answers(wrapRows(entrySchema)),
    });
}

function keyRoutes(ports: AdminPorts, parts: Parts) {
  const { looks, sends } = forOperator(ports, "Keys");
  return new Elysia()
    .get("/keys", ({ query }) => listKeysInUse(parts, query), {
      ...looks("listKeys", "List the keys, newest first, with what is left and was spent"),
      query: takesQuery(keysQuery),
      response: answers(wrapRows(keyInUseSchema)),
    })
    .post("/keys", async ({ body, status }) => status(201, await createKey(parts, body)), {
      ...sends("createKey", "Make a key; its secret is shown this once"),
      body: takesBody(newKeySchema),
      response: { 201: answers(madeKeySchema) },
    })
    .get("/keys/:id", ({ params: { id } }) => getKey(parts, id), {
      ...looks("getKey", "A key with what is left and was spent"),
      response: answers(keyInUseSchema),
    })
    .patch("/keys/:id", ({ params: { id }, body }) => updateKey(parts, id, body), {
      ...sends("updateKey", "Change the fields that are given; null takes a limit away"),
      body: takesBody(keyChangeSchema),
      response: answers(keySchema),
    })
    .delete("/keys/:id", ({ params: { id } }) => revokeKey(parts, id), {
      ...looks("revokeKey", "Revoke a key for good"),
      response: answers(keySchema),
    });
}

function logRoutes(ports: AdminPorts, parts: Parts) {
  const { looks } = forOperator(ports, "Log");
  return new Elysia()
    .get("/requests", ({ query }) => listRequests(parts, query), {
      ...looks("listRequests", "List the requests, newest first"),
      query: takesQuery(requestsQuery),
      response: answers(wrapRows(requestSchema)),
    })
    .get("/requests/:id", ({ params: { id } }) => getRequest(parts, id), {
      ...looks("getRequest", "A request with all that is known of it"),
      response: answers(requestDetailSchema),
    })
    .get("/usage", ({ query }) => sumUsage(parts, query), {
      ...looks("sumUsage", "Sum up the usage of a span of time"),
      query: takesQuery(usageQuery),
      response: answers(usageSchema),
    })
    .get("/savings", ({ query }) => sumSavings(parts, query), {
      ...looks("sumSavings", "What Router#fair and Router#light promised, kept and saved, week by week"),
      query: takesQuery(savingsQuery),
      response: answers(savingsSchema),
    })
    .get("/overview", ({ query }) => overview(parts, query), {
      ...looks("overview", "A span of time step by step, beside the one before"),
      query: takesQuery(overviewQuery),
      response: answers(overviewSchema),
    });
}

function settingRoutes(ports: AdminPorts, parts: Parts) {
  const { looks } = forOperator(ports, "Settings");
  return new Elysia()
    .get("/models", () => modelsView(ports.settings(), parts.clock.nowMs()), {
      ...looks("listCards", "List all models that are known, on or off"),
      response: answers(wrapRows(cardSchema)),
    })
    .get("/settings", () => settingsView(ports.settings(), ports), {
      ...looks("getSettings", "The configuration in force, without a secret"),
      response: answers(settingsSchema),
    })
    .get("/learned", () => ({ data: ports.learned(), next: null }), {
      ...looks("listLearned", "List what the selectors have learned of each model"),
      response: answers(wrapRows(learnedSchema)),
    })
    .delete("/learned", ({ query: { model = null } }) => forgetLessons(parts, model), {
      ...looks("forgetLearned", "Forget what was learned, of all models or of one"),
      query: takesQuery(lessonsQuery),
      response: answers(forgottenSchema),
    });
}
