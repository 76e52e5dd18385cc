// /admin/v1/providers: how they do, and their credentials, added, changed, removed and tested at run time.
import { Elysia } from "elysia";
import {
  addCredential,
  type CredentialParts,
  changeCredential,
  fillableNamed,
  removeCredential,
} from "../admin/credentials.ts";
import { optional, readFields, readText } from "../admin/input.ts";
import { getProvider, listProviders, type ProviderParts } from "../admin/providers.ts";
import { groupRoutes, options, type WritingParts } from "./admin-route.ts";
import { bearerToken } from "./auth.ts";

export interface ProviderPorts extends CredentialParts, ProviderParts {
  /** One small call by a credential; null: the first. Throws the Fault `not_found`. */
  readonly test: (provider: string, credentialId: string | null) => Promise<object>;
}

export function providerRoutes(operator: WritingParts, ports: ProviderPorts) {
  const by = groupRoutes(operator, ports);
  const name = "/providers/:id";
  const list = by(async (_, __, { query }) => listProviders(ports, query));
  const add = by(
    async (_, id, at) => getProvider(ports, await addCredential(ports, id, await at.body())),
    201,
  );
  const change = by(async (_, id, at) =>
    getProvider(ports, await changeCredential(ports, id, await at.body())),
  );
  const remove = by(async (_, id, { query }) => getProvider(ports, await removeCredential(ports, id, query)));
  const test = by(async (_, id, at) => {
    const fields = readFields(await at.body(), ["credential_id"]);
    const credentialId = optional(fields, "credential_id", readText) ?? null;
    return ports.test(fillableNamed(ports, id).name, credentialId);
  });
  return new Elysia({ prefix: "/admin/v1" })
    .use(bearerToken())
    .get("/providers", list, options)
    .post(name, add, options)
    .patch(name, change, options)
    .delete(name, remove, options)
    .post(`${name}/test`, test, options);
}
