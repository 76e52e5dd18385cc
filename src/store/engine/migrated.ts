// Puts a migration of the store on record, in the transaction that ends it.
import { type AuditEntry, makeAuditEvent } from "../../core/audit/audit-log.ts";
import { GATEWAY } from "../../core/people/people.ts";
import { EVENT } from "../schema/tables.ts";
import { bind, type Engine, type Statement } from "./engine.ts";
import { composeAddEvent } from "./recording.ts";

/** Returns the statements: none for a store that was just made. The versions are those of the engine's schema. */
export function recordMigration(mark: Engine["mark"], from: number, to: number): readonly Statement[] {
  if (from === 0) return [];
  const entry: AuditEntry = {
    id: `aud_${crypto.randomUUID().replaceAll("-", "")}`,
    atMs: Date.now(),
    act: GATEWAY,
    action: "store.migrated",
    target: { type: "store", id: "", name: "" },
    outcome: "success",
    accountId: null,
    reason: null,
    before: { version: from },
    after: { version: to },
  };
  return [bind(composeAddEvent(mark), ...EVENT.valuesOf(makeAuditEvent(entry)))];
}
