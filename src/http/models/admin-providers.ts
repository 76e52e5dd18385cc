// /admin/v1/providers: shows their health, and adds, changes, removes and tests their credentials at run time.
import { Elysia } from "elysia";
import {
  addCredential,
  type CredentialParts,
  changeCredential,
  credentialChangeSchema,
  credentialQuery,
  newCredentialSchema,
  removeCredential,
  requireProvider,
} from "../../admin/models/credentials.ts";
import {
  getProvider,
  listProviders,
  type ProviderParts,
  providerSchema,
  providersQuery,
  type TestResult,
  testResultSchema,
  testSchema,
} from "../../admin/models/providers.ts";
import { wrapRows } from "../../admin/schema.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";

export interface ProviderPorts extends CredentialParts, ProviderParts {
  /** Makes one small call with a credential, or with the first if null. Throws the Fault `not_found`. */
  readonly test: (provider: string, credentialId: string | null) => Promise<TestResult>;
}

export function providerRoutes(parts: WritingParts, ports: ProviderPorts) {
  const { reads, writes } = createOperatorHooks(parts, "Providers");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/providers", ({ query }) => listProviders(ports, query), {
      ...reads("settings.read", "listProviders", "List the enabled providers, or all known ones"),
      query: takesQuery(providersQuery),
      response: returnsBody(wrapRows(providerSchema)),
    })
    .use(credentialRoutes(parts, ports))
    .post(
      "/providers/:name/test",
      ({ params: { name }, body: { credential_id: id = null } }) =>
        ports.test(requireProvider(ports, name).name, id),
      {
        ...writes(
          "providers.write",
          "testCredential",
          "Test a credential (by default the first) with one small call",
        ),
        body: takesBody(testSchema),
        response: returnsBody(testResultSchema),
      },
    );
}

function credentialRoutes(parts: WritingParts, ports: ProviderPorts) {
  const { reads, writes } = createOperatorHooks(parts, "Providers");
  const provider = returnsBody(providerSchema);
  const as = (request: Request) => ({ ...ports, changes: actAsSender(parts.world, request).changes });
  return new Elysia()
    .post(
      "/providers/:name",
      async ({ params: { name }, body, status, request }) =>
        status(201, getProvider(ports, await addCredential(as(request), name, body))),
      {
        ...writes("providers.write", "addCredential", "Add a credential to a provider, which enables it"),
        body: takesBody(newCredentialSchema),
        response: { 201: provider },
      },
    )
    .patch(
      "/providers/:name",
      async ({ params: { name }, body, request }) =>
        getProvider(ports, await changeCredential(as(request), name, body)),
      {
        ...writes("providers.write", "changeCredential", "Change an added credential"),
        body: takesBody(credentialChangeSchema),
        response: provider,
      },
    )
    .delete(
      "/providers/:name",
      async ({ params: { name }, query, request }) =>
        getProvider(ports, await removeCredential(as(request), name, query)),
      {
        ...reads("providers.write", "removeCredential", "Remove an added credential"),
        query: takesQuery(credentialQuery),
        response: provider,
      },
    );
}
