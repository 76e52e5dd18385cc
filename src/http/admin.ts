// /admin/v1: the operator's use-cases on accounts and their money, keys, usage, the request log and providers, behind the token.
import { Elysia } from "elysia";
import { createAccount, getAccount, listAccounts, updateAccount } from "../admin/accounts.ts";
import { listJournal } from "../admin/journal.ts";
import { createKey, getKey, listKeys, revokeKey, updateKey } from "../admin/keys.ts";
import { listProviders } from "../admin/providers.ts";
import { getRequest, listRequests } from "../admin/requests.ts";
import { checkAdminToken } from "../admin/token.ts";
import { topUpAccount } from "../admin/topups.ts";
import { sumUsage } from "../admin/usage.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { ProviderHealth } from "../core/health.ts";
import { invalidKey } from "../core/key.ts";
import type { DayRules } from "../ledger/day.ts";
import { json } from "./answers.ts";
import { bearerToken, secretOf } from "./auth.ts";
import { readJson } from "./body.ts";

const BODY_BYTES_MAX = 64 * 1024;

export interface AdminPorts {
  readonly world: AdminWorld;
  /** The configured token; null: the one that was made at the first start. */
  readonly adminToken: string | null;
  /** When the operator's days begin; asked for each time. */
  readonly dayRules: () => DayRules;
  /** How each provider that is on has been doing lately. */
  readonly providers: () => readonly ProviderHealth[];
}

/** Runs a use-case for whoever shows the admin token; that is checked before anything is read. */
type Run = (
  bearer: string | undefined,
  useCase: (world: AdminWorld) => Promise<unknown>,
  status?: number,
) => Promise<Response>;

export function adminRoutes({ world, adminToken, dayRules, providers }: AdminPorts) {
  const run: Run = async (bearer, useCase, status = 200) => {
    if (!(await checkAdminToken(world, adminToken, secretOf(bearer)))) throw invalidKey();
    return json(status, await useCase(world));
  };
  return new Elysia({ prefix: "/admin/v1" })
    .use(accountRoutes(run))
    .use(moneyRoutes(run))
    .use(keyRoutes(run))
    .use(requestRoutes(run))
    .use(usageRoutes(run, dayRules))
    .use(providerRoutes(run, providers));
}

const options = { parse: "none", detail: { hide: true } } as const;

function bodyOf(request: Request): Promise<unknown> {
  return readJson(request, BODY_BYTES_MAX);
}

function accountRoutes(run: Run) {
  return new Elysia()
    .use(bearerToken())
    .get("/accounts", ({ bearer, query }) => run(bearer, (world) => listAccounts(world, query)), options)
    .post(
      "/accounts",
      ({ bearer, request }) => run(bearer, async (world) => createAccount(world, await bodyOf(request)), 201),
      options,
    )
    .get(
      "/accounts/:id",
      ({ bearer, params }) => run(bearer, (world) => getAccount(world, params.id)),
      options,
    )
    .patch(
      "/accounts/:id",
      ({ bearer, params, request }) =>
        run(bearer, async (world) => updateAccount(world, params.id, await bodyOf(request))),
      options,
    );
}

function moneyRoutes(run: Run) {
  return new Elysia()
    .use(bearerToken())
    .post(
      "/accounts/:id/topups",
      ({ bearer, params, request }) =>
        run(
          bearer,
          async (world) => topUpAccount(world, params.id, await bodyOf(request), keyOf(request)),
          201,
        ),
      options,
    )
    .get(
      "/accounts/:id/journal",
      ({ bearer, params, query }) => run(bearer, (world) => listJournal(world, params.id, query)),
      options,
    );
}

function keyOf(request: Request): string | null {
  return request.headers.get("idempotency-key");
}

function keyRoutes(run: Run) {
  return new Elysia()
    .use(bearerToken())
    .get("/keys", ({ bearer, query }) => run(bearer, (world) => listKeys(world, query)), options)
    .post(
      "/keys",
      ({ bearer, request }) => run(bearer, async (world) => createKey(world, await bodyOf(request)), 201),
      options,
    )
    .get("/keys/:id", ({ bearer, params }) => run(bearer, (world) => getKey(world, params.id)), options)
    .patch(
      "/keys/:id",
      ({ bearer, params, request }) =>
        run(bearer, async (world) => updateKey(world, params.id, await bodyOf(request))),
      options,
    )
    .delete(
      "/keys/:id",
      ({ bearer, params }) => run(bearer, (world) => revokeKey(world, params.id)),
      options,
    );
}

function requestRoutes(run: Run) {
  return new Elysia()
    .use(bearerToken())
    .get("/requests", ({ bearer, query }) => run(bearer, (world) => listRequests(world, query)), options)
    .get(
      "/requests/:id",
      ({ bearer, params }) => run(bearer, (world) => getRequest(world, params.id)),
      options,
    );
}

function usageRoutes(run: Run, dayRules: () => DayRules) {
  return new Elysia()
    .use(bearerToken())
    .get(
      "/usage",
      ({ bearer, query }) => run(bearer, (world) => sumUsage({ ...world, dayRules }, query)),
      options,
    );
}

function providerRoutes(run: Run, providers: AdminPorts["providers"]) {
  return new Elysia()
    .use(bearerToken())
    .get("/providers", ({ bearer }) => run(bearer, async () => listProviders(providers)), options);
}
