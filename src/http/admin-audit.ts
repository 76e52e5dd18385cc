// /admin/v1/audit and its exports: the audit log, for the accounts that the operator may see.
import { Elysia } from "elysia";
import {
  type AuditView,
  auditExportQuery,
  auditQuery,
  auditSchema,
  listAudit,
  readAudit,
} from "../admin/audit.ts";
import { formatCsvLine } from "../admin/csv.ts";
import { wrapRows } from "../admin/schema.ts";
import type { Settings } from "../core/settings.ts";
import { createOperatorHooks, type WritingParts } from "./admin-route.ts";
import { noteExport } from "./audited.ts";
import { readOperator } from "./operator.ts";
import { returnsBody, takesQuery } from "./route-schema.ts";

interface AuditPorts extends WritingParts {
  readonly settings: () => Settings;
}

const COLUMNS = [
  ...[
    "id",
    "at",
    "actor_kind",
    "actor_id",
    "actor_name",
    "action",
    "target_type",
    "target_id",
    "target_name",
  ],
  ...["outcome", "account_id", "reason", "address", "agent", "route", "request_id", "before", "after"],
];

/** The forms of an export: its first line, and the line of a row. */
const FORMS = {
  csv: { type: "text/csv; charset=utf-8", head: formatCsvLine(COLUMNS), format: formatRow },
  jsonl: { type: "application/jsonl", head: "", format: (row: AuditView) => `${JSON.stringify(row)}\n` },
} as const;

function formatRow(row: AuditView): string {
  const { actor, target, before, after } = row;
  return formatCsvLine([
    ...[row.id, row.at, actor.kind, actor.id, actor.name, row.action, target.type, target.id, target.name],
    ...[row.outcome, row.account_id, row.reason, row.address, row.agent, row.route, row.request_id],
    ...[before, after].map((fields) => fields && JSON.stringify(fields)),
  ]);
}

export function auditRoutes(ports: AuditPorts) {
  const { reads } = createOperatorHooks(ports, "Audit");
  const parts = { store: ports.world.store, dayRules: () => ports.settings().quota };
  const scope = (request: Request) => readOperator(request).scope;
  const describe = (form: string) => ({
    ...reads("audit.read", `exportAudit${form}`, `Export the audit log as ${form}, newest first`),
    query: takesQuery(auditExportQuery),
  });
  const send = async (form: keyof typeof FORMS, request: Request, query: Parameters<typeof readAudit>[1]) => {
    const { type, head, format } = FORMS[form];
    const pages = readAudit(parts, query, scope(request));
    await noteExport(ports.world, request, `audit.${form}`, query);
    return new Response(streamRows(pages, head, format), {
      headers: {
        ...{ "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" },
        "content-disposition": `attachment; filename="audit.${form}"`,
      },
    });
  };
  return new Elysia({ prefix: "/admin/v1" })
    .get("/audit", ({ query, request }) => listAudit(parts, query, scope(request)), {
      ...reads("audit.read", "listAudit", "List who did what, newest first"),
      query: takesQuery(auditQuery),
      response: returnsBody(wrapRows(auditSchema)),
    })
    .get("/export/audit.csv", ({ query, request }) => send("csv", request, query), describe("Csv"))
    .get("/export/audit.jsonl", ({ query, request }) => send("jsonl", request, query), describe("Jsonl"));
}

/** Reads on only while the client does. */
function streamRows(
  pages: AsyncGenerator<readonly AuditView[]>,
  head: string,
  format: (row: AuditView) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(format).join("")));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
}
