// The actions on providers' credentials, which answer with the provider.
import type { CREDENTIAL } from "../../core/things/credential.ts";
import { actAs } from "../audit/audit-trail.ts";
import {
  addCredential,
  type CredentialParts,
  changeCredential,
  credentialChangeSchema,
  credentialQuery,
  newCredentialSchema,
  removeCredential,
  requireProvider,
} from "../models/credentials.ts";
import {
  getProvider,
  listProviders,
  type ProviderParts,
  providerSchema,
  providersQuery,
  type TestResult,
  testResultSchema,
  testSchema,
} from "../models/providers.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { type Caller, showMade, showView, takeBody, takeQuery, type Uses } from "./use.ts";

export interface ProviderPorts extends CredentialParts, ProviderParts {
  /** Makes one small call with a credential, or with the first if null. Throws the Fault `not_found`. */
  readonly test: (provider: string, credentialId: string | null) => Promise<TestResult>;
}

export function makeCredentialUses(world: AdminWorld, ports: ProviderPorts): Uses<typeof CREDENTIAL> {
  const as = ({ act }: Caller) => ({ ...ports, changes: actAs(world, act).changes });
  const provider = showView(providerSchema);
  return {
    list: takeQuery(providersQuery, showView(wrapRows(providerSchema)), (query, { access }) =>
      listProviders(ports, query, access),
    ),
    make: takeBody(newCredentialSchema, showMade(providerSchema), async (body, caller) =>
      getProvider(ports, await addCredential(as(caller), caller.id, body), caller.access),
    ),
    change: takeBody(credentialChangeSchema, provider, async (body, caller) =>
      getProvider(ports, await changeCredential(as(caller), caller.id, body), caller.access),
    ),
    end: takeQuery(credentialQuery, provider, async (query, caller) =>
      getProvider(ports, await removeCredential(as(caller), caller.id, query), caller.access),
    ),
    test: takeBody(testSchema, showView(testResultSchema), ({ credential_id: credential = null }, { id }) =>
      ports.test(requireProvider(ports, id).name, credential),
    ),
  };
}
