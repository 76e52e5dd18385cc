// /admin/v1/export: whole lists as CSV or JSON lines, streamed as fast as the client reads.
import { Elysia } from "elysia";
import { type EXPORT_FORMS, type ExportForm, type ExportRow, makeExportForm } from "../admin/export-rows.ts";
import { EXPORTS, type ExportName, type ExportParts, readExport } from "../admin/exports.ts";
import { createOperatorHooks, type WritingParts } from "./admin-route.ts";
import { noteExport } from "./audited.ts";
import { readOperator } from "./operator.ts";
import { takesQuery } from "./route-schema.ts";

type Form = (typeof EXPORT_FORMS)[number];

const SUFFIX = { csv: "Csv", jsonl: "Jsonl" } as const;

export function exportRoutes(ports: WritingParts, parts: ExportParts) {
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
  parts: ExportParts,
  name: ExportName,
  form: Form,
  request: Request,
  query: object,
) {
  const { row, left } = EXPORTS[name];
  const lines = makeExportForm(form, row, left?.(query) ?? []);
  const body = await streamRows(readExport(parts, name, query, readOperator(request).scope), lines);
  await noteExport(parts, request, `${name}.${form}`, { ...query });
  return new Response(body, {
    headers: {
      ...{ "content-type": lines.type, "cache-control": "no-store", "x-content-type-options": "nosniff" },
      "content-disposition": `attachment; filename="${name}.${form}"`,
    },
  });
}

/** Reads the first rows before anything is answered, so that a wrong filter is an error. Then only while the client reads. */
async function streamRows(
  pages: AsyncGenerator<readonly ExportRow[]>,
  { head, format }: ExportForm,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let first: IteratorResult<readonly ExportRow[]> | null = await pages.next();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      const { done, value } = first ?? (await pages.next());
      first = null;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(format).join("")));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
}
