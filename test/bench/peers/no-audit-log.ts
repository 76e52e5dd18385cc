// A store's audit log that keeps nothing.
import { CHAIN_START } from "../../../src/core/audit/audit-log.ts";
import type { Store } from "../../../src/core/store.ts";

export function noAuditLog(): Pick<Store, "auditLog"> {
  const nobody = async () => [];
  const head = async () => CHAIN_START;
  const prune = async () => 0;
  const none = async () => {};
  const auditLog = {
    add: none,
    chain: async () => null,
    rows: nobody,
    rowsFrom: nobody,
    head,
    prune,
  };
  return { auditLog };
}
