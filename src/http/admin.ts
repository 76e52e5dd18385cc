// /admin/v1: the operator's use-cases on accounts and their money, keys, figures, the request log and the settings, behind the token.
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
import { type ForOperator, forOperator, type WritingParts } from "./admin-route.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";
import { answers, takesBody, takesQuery, tell } from "./route-schema.ts";

export interface AdminPorts extends WritingParts, Running {
  readonly ledger: KeyParts["ledger"];
  readonly contentVault: RequestParts["contentVault"];
  /** Those in force; asked for each time. */
  readonly settings: () => Settings;
  /** The selectors' lessons about each model, here. */
  readonly learned: () => readonly LearnedView[];
}

/** The parts that the use-cases need. */
type Parts = AdminWorld & KeyParts & RequestParts;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault } = ports;
  const parts: Parts = { ...ports.world, ledger, contentVault, dayRules: () => settings().quota };
  const operator = forOperator(ports);
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(operator, parts))
    .use(keyRoutes(operator, parts))
    .use(logRoutes(operator, parts))
    .use(settingRoutes(operator, parts, ports));
}

function accountRoutes({ looks, sends }: ForOperator, parts: Parts) {
  const tag = "Accounts";
  const account = answers(accountSchema);
  return new Elysia()
    .get("/accounts", ({ query }) => listAccounts(parts, query), {
      ...looks,
      query: takesQuery(pageQuery),
      response: answers(wrapRows(accountSchema)),
      ...tell(tag, "listAccounts", "List the accounts, newest first"),
    })
    .post("/accounts", async ({ body, status }) => status(201, await createAccount(parts, body)), {
      ...sends,
      body: takesBody(newAccountSchema),
      response: { 201: account },
      ...tell(tag, "createAccount", "Make an account with nothing on it"),
    })
    .get("/accounts/:id", ({ params: { id } }) => getAccount(parts, id), {
      ...looks,
      response: account,
      ...tell(tag, "getAccount", "An account, or what `funding`, `revenue` and `overrun` come to"),
    })
    .patch("/accounts/:id", ({ params: { id }, body }) => updateAccount(parts, id, body), {
      ...sends,
      body: takesBody(accountChangeSchema),
      response: account,
      ...tell(tag, "updateAccount", "Rename an account"),
    })
    .post(
      "/accounts/:id/topups",
      async ({ params: { id }, body, request, status }) =>
        status(201, await topUpAccount(parts, id, body, request.headers.get("idempotency-key"))),
      {
        ...sends,
        body: takesBody(topUpSchema),
        response: { 201: account },
        ...tell(tag, "topUpAccount", "Top an account up; once for each `Idempotency-Key`"),
      },
    )
    .get("/accounts/:id/journal", ({ params: { id }, query }) => listJournal(parts, id, query), {
      ...looks,
      query: takesQuery(pageQuery),
      response: answers(wrapRows(entrySchema)),
      ...tell(tag, "listJournal", "List an account's movements, newest first"),
    });
}

function keyRoutes({ looks, sends }: ForOperator, parts: Parts) {
  const tag = "Keys";
  return new Elysia()
    .get("/keys", ({ query }) => listKeysInUse(parts, query), {
      ...looks,
      query: takesQuery(keysQuery),
      response: answers(wrapRows(keyInUseSchema)),
      ...tell(tag, "listKeys", "List the keys, newest first, with what is left and was spent"),
    })
    .post("/keys", async ({ body, status }) => status(201, await createKey(parts, body)), {
      ...sends,
      body: takesBody(newKeySchema),
      response: { 201: answers(madeKeySchema) },
      ...tell(tag, "createKey", "Make a key; its secret is shown this once"),
    })
    .get("/keys/:id", ({ params: { id } }) => getKey(parts, id), {
      ...looks,
      response: answers(keyInUseSchema),
      ...tell(tag, "getKey", "A key with what is left and was spent"),
    })
    .patch("/keys/:id", ({ params: { id }, body }) => updateKey(parts, id, body), {
      ...sends,
      body: takesBody(keyChangeSchema),
      response: answers(keySchema),
      ...tell(tag, "updateKey", "Change the fields that are given; null takes a limit away"),
    })
    .delete("/keys/:id", ({ params: { id } }) => revokeKey(parts, id), {
      ...looks,
      response: answers(keySchema),
      ...tell(tag, "revokeKey", "Revoke a key for good"),
    });
}

function logRoutes({ looks }: ForOperator, parts: Parts) {
  const tag = "Log";
  return new Elysia()
    .get("/requests", ({ query }) => listRequests(parts, query), {
      ...looks,
      query: takesQuery(requestsQuery),
      response: answers(wrapRows(requestSchema)),
      ...tell(tag, "listRequests", "List the requests, newest first"),
    })
    .get("/requests/:id", ({ params: { id } }) => getRequest(parts, id), {
      ...looks,
      response: answers(requestDetailSchema),
      ...tell(tag, "getRequest", "A request with all that is known of it"),
    })
    .get("/usage", ({ query }) => sumUsage(parts, query), {
      ...looks,
      query: takesQuery(usageQuery),
      response: answers(usageSchema),
      ...tell(tag, "sumUsage", "Sum up the usage of a span of time"),
    })
    .get("/savings", ({ query }) => sumSavings(parts, query), {
      ...looks,
      query: takesQuery(savingsQuery),
      response: answers(savingsSchema),
      ...tell(tag, "sumSavings", "What Router#fair and Router#light promised, kept and saved, week by week"),
    })
    .get("/overview", ({ query }) => overview(parts, query), {
      ...looks,
      query: takesQuery(overviewQuery),
      response: answers(overviewSchema),
      ...tell(tag, "overview", "A span of time step by step, beside the one before"),
    });
}

function settingRoutes({ looks }: ForOperator, parts: Parts, ports: AdminPorts) {
  const tag = "Settings";
  return new Elysia()
    .get("/models", () => modelsView(ports.settings(), parts.clock.nowMs()), {
      ...looks,
      response: answers(wrapRows(cardSchema)),
      ...tell(tag, "listCards", "List all models that are known, on or off"),
    })
    .get("/settings", () => settingsView(ports.settings(), ports), {
      ...looks,
      response: answers(settingsSchema),
      ...tell(tag, "getSettings", "The configuration in force, without a secret"),
    })
    .get("/learned", () => ({ data: ports.learned(), next: null }), {
      ...looks,
      response: answers(wrapRows(learnedSchema)),
      ...tell(tag, "listLearned", "List what the selectors have learned of each model"),
    })
    .delete("/learned", ({ query: { model = null } }) => forgetLessons(parts, model), {
      ...looks,
      query: takesQuery(lessonsQuery),
      response: answers(forgottenSchema),
      ...tell(tag, "forgetLearned", "Forget what was learned, of all models or of one"),
    });
}
