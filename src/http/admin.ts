// /admin/v1: the operator's use-cases on accounts, keys and the request log, behind the admin token.
import { Elysia } from "elysia";
import { createAccount, getAccount, listAccounts, updateAccount } from "../admin/accounts.ts";
import { createKey, getKey, listKeys, revokeKey, updateKey } from "../admin/keys.ts";
import { getRequest, listRequests } from "../admin/requests.ts";
import { checkAdminToken } from "../admin/token.ts";
import type { AdminWorld } from "../admin/world.ts";
import { invalidKey } from "../core/key.ts";
import { json } from "./answers.ts";
import { bearerToken, secretOf } from "./auth.ts";
import { readJson } from "./body.ts";

const BODY_BYTES_MAX = 64 * 1024;

export interface AdminPorts {
  readonly world: AdminWorld;
  /** The configured token; null: the one that was made at the first start. */
  readonly adminToken: string | null;
}

interface Asked {
  readonly request: Request;
  readonly bearer: string | undefined;
  readonly params: { readonly id?: string };
  readonly query: Record<string, string>;
}

/** One use-case as a route: who asks is checked before anything is read. */
type UseCase = (world: AdminWorld, asked: Asked) => Promise<unknown>;

export function adminRoutes({ world, adminToken }: AdminPorts) {
  const as = (useCase: UseCase, status = 200) => {
    return async (asked: Asked): Promise<Response> => {
      const allowed = await checkAdminToken(world, adminToken, secretOf(asked.bearer));
      if (!allowed) throw invalidKey();
      return json(status, await useCase(world, asked));
    };
  };
  const idOf = ({ params }: Asked) => params.id ?? "";
  const body = ({ request }: Asked) => readJson(request, BODY_BYTES_MAX);
  const run = {
    listAccounts: as((world, { query }) => listAccounts(world, query)),
    addAccount: as(async (world, asked) => createAccount(world, await body(asked)), 201),
    getAccount: as((world, asked) => getAccount(world, idOf(asked))),
    changeAccount: as(async (world, asked) => updateAccount(world, idOf(asked), await body(asked))),
    listKeys: as((world, { query }) => listKeys(world, query)),
    addKey: as(async (world, asked) => createKey(world, await body(asked)), 201),
    getKey: as((world, asked) => getKey(world, idOf(asked))),
    changeKey: as(async (world, asked) => updateKey(world, idOf(asked), await body(asked))),
    revokeKey: as((world, asked) => revokeKey(world, idOf(asked))),
    listRequests: as((world, { query }) => listRequests(world, query)),
    getRequest: as((world, asked) => getRequest(world, idOf(asked))),
  };
  const options = { parse: "none", detail: { hide: true } } as const;
  // Each handler names what it takes: Elysia reads that off its text to know what to prepare.
  return new Elysia({ prefix: "/admin/v1" })
    .use(bearerToken())
    .get(
      "/accounts",
      ({ request, bearer, query }) => run.listAccounts({ request, bearer, query, params: {} }),
      options,
    )
    .post(
      "/accounts",
      ({ request, bearer, query }) => run.addAccount({ request, bearer, query, params: {} }),
      options,
    )
    .get(
      "/accounts/:id",
      ({ request, bearer, params, query }) => run.getAccount({ request, bearer, params, query }),
      options,
    )
    .patch(
      "/accounts/:id",
      ({ request, bearer, params, query }) => run.changeAccount({ request, bearer, params, query }),
      options,
    )
    .get(
      "/keys",
      ({ request, bearer, query }) => run.listKeys({ request, bearer, query, params: {} }),
      options,
    )
    .post(
      "/keys",
      ({ request, bearer, query }) => run.addKey({ request, bearer, query, params: {} }),
      options,
    )
    .get(
      "/keys/:id",
      ({ request, bearer, params, query }) => run.getKey({ request, bearer, params, query }),
      options,
    )
    .patch(
      "/keys/:id",
      ({ request, bearer, params, query }) => run.changeKey({ request, bearer, params, query }),
      options,
    )
    .delete(
      "/keys/:id",
      ({ request, bearer, params, query }) => run.revokeKey({ request, bearer, params, query }),
      options,
    )
    .get(
      "/requests",
      ({ request, bearer, query }) => run.listRequests({ request, bearer, query, params: {} }),
      options,
    )
    .get(
      "/requests/:id",
      ({ request, bearer, params, query }) => run.getRequest({ request, bearer, params, query }),
      options,
    );
}
