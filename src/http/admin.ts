// /admin/v1: the operator's use-cases on accounts and their money, keys, figures, the request log and the settings, behind the token.
import { Elysia } from "elysia";
import { createAccount, getAccount, listAccounts, updateAccount } from "../admin/accounts.ts";
import { listJournal } from "../admin/journal.ts";
import { createKey, getKey, type KeyParts, listKeysInUse, revokeKey, updateKey } from "../admin/keys.ts";
import { forgetLessons, readModelId } from "../admin/lessons.ts";
import { overview } from "../admin/overview.ts";
import { getRequest, listRequests, type RequestParts } from "../admin/requests.ts";
import { topUpAccount } from "../admin/topups.ts";
import { sumUsage } from "../admin/usage.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Settings } from "../core/settings.ts";
import type { TaughtView } from "../selectors/learning/learned.ts";
import { groupRoutes, options, type By as RouteBy, type WritingParts } from "./admin-route.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";
import { bearerToken } from "./auth.ts";

export interface AdminPorts extends WritingParts, Running {
  readonly ledger: KeyParts["ledger"];
  readonly contentVault: RequestParts["contentVault"];
  /** Those in force; asked for each time. */
  readonly settings: () => Settings;
  /** The selectors' lessons about each model, here. */
  readonly learned: () => readonly LearnedView[];
}

export interface LearnedView extends TaughtView {
  /** The ratio of its answers' length to the predicted one. */
  readonly length: number;
}

/** The parts that the use-cases need. */
type Parts = AdminWorld & KeyParts & RequestParts;

type By = RouteBy<Parts>;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault } = ports;
  const world: Parts = { ...ports.world, ledger, contentVault, dayRules: () => settings().quota };
  const by = groupRoutes(ports, world);
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(by))
    .use(keyRoutes(by))
    .use(logRoutes(by))
    .use(learnedRoutes(by, ports))
    .use(settingRoutes(by, ports));
}

function accountRoutes(by: By) {
  const list = by((world, _, { query }) => listAccounts(world, query));
  const make = by(async (world, _, at) => createAccount(world, await at.body()), 201);
  const change = by(async (world, id, at) => updateAccount(world, id, await at.body()));
  const topUp = by(async (world, id, at) => {
    const idempotencyKey = at.request.headers.get("idempotency-key");
    return topUpAccount(world, id, await at.body(), idempotencyKey);
  }, 201);
  return new Elysia()
    .use(bearerToken())
    .get("/accounts", list, options)
    .post("/accounts", make, options)
    .get("/accounts/:id", by(getAccount), options)
    .patch("/accounts/:id", change, options)
    .post("/accounts/:id/topups", topUp, options)
    .get(
      "/accounts/:id/journal",
      by((world, id, { query }) => listJournal(world, id, query)),
      options,
    );
}

function keyRoutes(by: By) {
  return new Elysia()
    .use(bearerToken())
    .get(
      "/keys",
      by((world, _, { query }) => listKeysInUse(world, query)),
      options,
    )
    .post(
      "/keys",
      by(async (world, _, at) => createKey(world, await at.body()), 201),
      options,
    )
    .get("/keys/:id", by(getKey), options)
    .patch(
      "/keys/:id",
      by(async (world, id, at) => updateKey(world, id, await at.body())),
      options,
    )
    .delete("/keys/:id", by(revokeKey), options);
}

function logRoutes(by: By) {
  return new Elysia()
    .use(bearerToken())
    .get(
      "/requests",
      by((world, _, { query }) => listRequests(world, query)),
      options,
    )
    .get("/requests/:id", by(getRequest), options)
    .get(
      "/usage",
      by((world, _, { query }) => sumUsage(world, query)),
      options,
    )
    .get(
      "/overview",
      by((world, _, { query }) => overview(world, query)),
      options,
    );
}

function learnedRoutes(by: By, { learned }: AdminPorts) {
  return new Elysia()
    .use(bearerToken())
    .get(
      "/learned",
      by(async () => ({ data: learned(), next: null })),
      options,
    )
    .delete(
      "/learned",
      by((world, _, { query }) => forgetLessons(world, readModelId(query))),
      options,
    );
}

function settingRoutes(by: By, ports: AdminPorts) {
  const models = by(async ({ clock }) => modelsView(ports.settings(), clock.nowMs()));
  return new Elysia()
    .use(bearerToken())
    .get("/models", models, options)
    .get(
      "/settings",
      by(async () => settingsView(ports.settings(), ports)),
      options,
    );
}
