// /admin/v1/export: whole lists as CSV or JSON lines, streamed as fast as the client reads.
import { Elysia } from "elysia";
import { formatInstant } from "../../admin/format.ts";
import { type EXPORT_FORMS, makeExportForm } from "../../admin/log/export-rows.ts";
import { EXPORTS, type ExportName, type ExportParts, readExport } from "../../admin/log/exports.ts";
import type { Log } from "../../core/world/world.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { noteExport } from "../audit/audited.ts";
import { takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { streamRows } from "./row-stream.ts";

type Form = (typeof EXPORT_FORMS)[number];

/** Exports are sent while they are read: what fails then can only be logged. */
export interface SendingParts extends ExportParts {
  readonly log: Log;
}

const SUFFIX = { csv: "Csv", jsonl: "Jsonl" } as const;

export function exportRoutes(ports: WritingParts, parts: SendingParts) {
  const { reads } = createOperatorHooks(ports, "Exports");
  const sends =
    (name: ExportName, form: Form) =>
    ({ query, request }: { readonly query: object; readonly request: Request }) =>
      sendExport(parts, name, form, request, query);
  const about = (name: ExportName, form: Form) => {
    const { permission, words, query } = EXPORTS[name];
    const id = `export${name[0]?.toUpperCase()}${name.slice(1)}${SUFFIX[form]}`;
    const summary = `Export ${words} as ${form === "csv" ? "CSV" : "JSON lines"}`;
    return { ...reads(permission, id, summary), query: takesQuery(query) };
  };
  return new Elysia({ prefix: "/admin/v1/export" })
    .get("/requests.csv", sends("requests", "csv"), about("requests", "csv"))
    .get("/requests.jsonl", sends("requests", "jsonl"), about("requests", "jsonl"))
    .get("/usage.csv", sends("usage", "csv"), about("usage", "csv"))
    .get("/usage.jsonl", sends("usage", "jsonl"), about("usage", "jsonl"))
    .get("/journal.csv", sends("journal", "csv"), about("journal", "csv"))
    .get("/journal.jsonl", sends("journal", "jsonl"), about("journal", "jsonl"))
    .get("/statements.csv", sends("statements", "csv"), about("statements", "csv"))
    .get("/statements.jsonl", sends("statements", "jsonl"), about("statements", "jsonl"))
    .get("/members.csv", sends("members", "csv"), about("members", "csv"))
    .get("/members.jsonl", sends("members", "jsonl"), about("members", "jsonl"))
    .get("/audit.csv", sends("audit", "csv"), about("audit", "csv"))
    .get("/audit.jsonl", sends("audit", "jsonl"), about("audit", "jsonl"))
    .get("/reconciliation.csv", sends("reconciliation", "csv"), about("reconciliation", "csv"))
    .get("/reconciliation.jsonl", sends("reconciliation", "jsonl"), about("reconciliation", "jsonl"));
}

/** Sends a list as a file, and puts that on record. */
export async function sendExport(
  parts: SendingParts,
  name: ExportName,
  form: Form,
  request: Request,
  query: object,
) {
  const { row, left, since } = EXPORTS[name];
  const sinceMs = since?.(parts, query) ?? null;
  const lines = makeExportForm(form, row, left?.(query) ?? []);
  const file = `${name}.${form}`;
  const rows = readExport(parts, name, query, readOperator(request).scope);
  const body = await streamRows(rows, lines, { name: file, log: parts.log });
  await noteExport(parts, request, file, { ...query });
  return new Response(body, {
    headers: {
      "content-type": lines.type,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="${file}"`,
      ...(sinceMs === null ? {} : { "x-poundkey-rows-from": formatInstant(sinceMs) }),
    },
  });
}
