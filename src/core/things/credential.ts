// A provider's credential, which is shown with its provider.
import { CREDENTIAL_FIELDS } from "../fields/credential.ts";
import type { Thing } from "./thing.ts";

export const CREDENTIAL = {
  name: "credential",
  tag: "Providers",
  fields: CREDENTIAL_FIELDS,
  actions: {
    list: {
      id: "listProviders",
      method: "GET",
      path: "/providers",
      permission: "settings.read",
      summary: "List the enabled providers, or all known ones",
    },
    make: {
      id: "addCredential",
      method: "POST",
      path: "/providers/:name",
      permission: "providers.write",
      summary: "Add a credential to a provider, which enables it",
      audit: "provider.added",
    },
    change: {
      id: "changeCredential",
      method: "PATCH",
      path: "/providers/:name",
      permission: "providers.write",
      summary: "Change an added credential",
      audit: "provider.changed",
    },
    end: {
      id: "removeCredential",
      method: "DELETE",
      path: "/providers/:name",
      permission: "providers.write",
      summary: "Remove an added credential",
      audit: "provider.removed",
    },
    test: {
      id: "testCredential",
      method: "POST",
      path: "/providers/:name/test",
      permission: "providers.write",
      summary: "Test a credential (by default the first) with one small call",
      audit: "provider.tested",
      isNoted: true,
    },
  },
} as const satisfies Thing;
