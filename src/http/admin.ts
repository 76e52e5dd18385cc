// /admin/v1: the operator's use-cases on accounts and their money, keys, usage, the request log and providers, behind the token.
import { Elysia } from "elysia";
import { createAccount, getAccount, listAccounts, updateAccount } from "../admin/accounts.ts";
import { listJournal } from "../admin/journal.ts";
import { createKey, getKey, type KeyParts, listKeysInUse, revokeKey, updateKey } from "../admin/keys.ts";
import { overview } from "../admin/overview.ts";
import { listProviders } from "../admin/providers.ts";
import { getRequest, listRequests } from "../admin/requests.ts";
import { topUpAccount } from "../admin/topups.ts";
import { sumUsage } from "../admin/usage.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { ProviderHealth } from "../core/health.ts";
import type { Settings } from "../core/settings.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";
import { json } from "./answers.ts";
import { bearerToken } from "./auth.ts";
import { readJson } from "./body.ts";
import { type Asked, checkOperator, type OperatorParts } from "./operator.ts";

const BODY_BYTES_MAX = 64 * 1024;

export interface AdminPorts extends OperatorParts, Running {
  readonly ledger: KeyParts["ledger"];
  /** Those in force; asked for each time. */
  readonly settings: () => Settings;
  /** How each provider that is on has been doing lately. */
  readonly providers: () => readonly ProviderHealth[];
}

/** What the use-cases are handed. */
type Parts = AdminWorld & KeyParts;

/** A request of a route, with what Elysia read off its URL. */
interface At extends Asked {
  readonly params?: { readonly id?: string };
  readonly query: unknown;
}
type Use = (world: Parts, id: string, at: At) => Promise<unknown>;

/** Makes a route of a use-case: it runs for the operator alone, and who asks is checked before anything is read. */
type By = (use: Use, status?: number) => (at: At) => Promise<Response>;

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, providers } = ports;
  const world: Parts = { ...ports.world, ledger, dayRules: () => settings().quota };
  const by: By =
    (use, status = 200) =>
    // Elysia reads off the parameter's text what a route needs of its request.
    async ({ bearer, request, server, params, query }) => {
      const at = { bearer, request, server, query };
      await checkOperator(ports, at);
      return json(status, await use(world, params?.id ?? "", at));
    };
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(by))
    .use(keyRoutes(by))
    .use(logRoutes(by))
    .use(providerRoutes(by, providers))
    .use(settingRoutes(by, ports));
}

const options = { parse: "none", detail: { hide: true } } as const;

function bodyOf({ request }: At): Promise<unknown> {
  return readJson(request, BODY_BYTES_MAX);
}

function accountRoutes(by: By) {
  const list = by((world, _, { query }) => listAccounts(world, query));
  const make = by(async (world, _, at) => createAccount(world, await bodyOf(at)), 201);
  const change = by(async (world, id, at) => updateAccount(world, id, await bodyOf(at)));
  const topUp = by(async (world, id, at) => {
    const idempotencyKey = at.request.headers.get("idempotency-key");
    return topUpAccount(world, id, await bodyOf(at), idempotencyKey);
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
      by(async (world, _, at) => createKey(world, await bodyOf(at)), 201),
      options,
    )
    .get("/keys/:id", by(getKey), options)
    .patch(
      "/keys/:id",
      by(async (world, id, at) => updateKey(world, id, await bodyOf(at))),
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

function providerRoutes(by: By, providers: AdminPorts["providers"]) {
  return new Elysia().use(bearerToken()).get(
    "/providers",
    by(async () => listProviders(providers)),
    options,
  );
}

function settingRoutes(by: By, ports: AdminPorts) {
  const models = by(async () => modelsView(ports.settings()));
  return new Elysia()
    .use(bearerToken())
    .get("/models", models, options)
    .get(
      "/settings",
      by(async () => settingsView(ports.settings(), ports)),
      options,
    );
}
