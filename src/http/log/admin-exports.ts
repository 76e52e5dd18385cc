// /admin/v1/export: whole lists as CSV or JSON lines, streamed as fast as the client reads.
import { Elysia } from "elysia";
import { formatInstant } from "../../admin/format.ts";
import { EXPORT_FORMS, makeExportForm } from "../../admin/log/export-rows.ts";
import { EXPORTS, type Export, type ExportParts, readExport } from "../../admin/log/exports.ts";
import type { Log } from "../../core/world/world.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { noteExport } from "../audit/audited.ts";
import { takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { streamRows } from "./row-stream.ts";

type ExportFormName = (typeof EXPORT_FORMS)[number];

/** Exports are sent while they are read: what fails then can only be logged. */
export interface SendingParts extends ExportParts {
  readonly log: Log;
}

/** Columns that are left out for those who see them in no account. */
const PROVIDER_COSTS = ["provider_cost_usd", "claimed_cost_usd"];

const SUFFIX = { csv: "Csv", jsonl: "Jsonl" } as const;

export function exportRoutes(ports: WritingParts, parts: SendingParts) {
  const { reads } = createOperatorHooks(ports, "Exports");
  const routes = new Elysia({ prefix: "/admin/v1/export" });
  for (const [name, list] of Object.entries(EXPORTS)) {
    for (const form of EXPORT_FORMS) {
      const id = `export${name[0]?.toUpperCase()}${name.slice(1)}${SUFFIX[form]}`;
      const summary = `Export ${list.words} as ${form === "csv" ? "CSV" : "JSON lines"}`;
      routes.get(
        `/${name}.${form}`,
        ({ query, request }) => sendExport(parts, { name, list, form }, request, query),
        {
          ...reads(list.permission, id, summary),
          query: takesQuery(list.query),
        },
      );
    }
  }
  return routes;
}

interface ExportFile {
  readonly name: string;
  readonly list: Export;
  readonly form: ExportFormName;
}

/** Sends a list as a file, and puts that on record. */
export async function sendExport(
  parts: SendingParts,
  { name, list, form }: ExportFile,
  request: Request,
  query: object,
) {
  const { row, left, since } = list;
  const sinceMs = since?.(parts, query) ?? null;
  const { scope } = readOperator(request);
  const unseen = scope.costs === null || (scope.costs ?? []).length > 0 ? [] : PROVIDER_COSTS;
  const lines = makeExportForm(form, row, [...(left?.(query) ?? []), ...unseen]);
  const file = `${name}.${form}`;
  const rows = readExport(parts, list, query, scope);
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
