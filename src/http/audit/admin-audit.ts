// /admin/v1/audit: the audit log, for the accounts that the operator may see.
import { Elysia } from "elysia";
import { auditQuery, auditSchema, listAudit } from "../../admin/audit/audit.ts";
import { findFilters } from "../../admin/log/found-filters.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { Settings } from "../../core/settings.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

interface AuditPorts extends WritingParts {
  readonly settings: () => Settings;
}

export function auditRoutes(ports: AuditPorts) {
  const { reads } = createOperatorHooks(ports, "Audit");
  const { store, clock } = ports.world;
  const parts = { store, clock, dayRules: () => ports.settings().quota };
  const scope = (request: Request) => readOperator(request).scope;
  return new Elysia({ prefix: "/admin/v1" }).get(
    "/audit",
    async ({ query, request }) =>
      listAudit(parts, await findFilters(parts, query, scope(request)), scope(request)),
    {
      ...reads("audit.read", "listAudit", "List who did what, newest first"),
      query: takesQuery(auditQuery),
      response: returnsBody(wrapRows(auditSchema)),
    },
  );
}
