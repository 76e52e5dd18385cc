// /admin/v1/reconciliation: the calls that providers were sent, summed by day, and one by one as a file.
import { Elysia } from "elysia";
import { EXPORTS } from "../../admin/log/exports.ts";
import {
  reconciliationQuery,
  reconciliationSchema,
  sumReconciliation,
} from "../../admin/money/reconciliation.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { type SendingParts, sendExport } from "../log/admin-exports.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

const CSV = { name: "reconciliation", list: EXPORTS.reconciliation, form: "csv" } as const;

interface ReconcilingParts extends SendingParts {
  readonly priceChanges: () => ReadonlyMap<string, number>;
}

export function reconciliationRoutes(ports: WritingParts, parts: ReconcilingParts) {
  const { reads } = createOperatorHooks(ports, "Exports");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/reconciliation",
      ({ query, request }) => sumReconciliation(parts, query, readOperator(request).scope),
      {
        ...reads(
          "reconciliation.read",
          "getReconciliation",
          "Sum the calls that providers were sent, by UTC day, provider and credential",
        ),
        query: takesQuery(reconciliationQuery),
        response: returnsBody(reconciliationSchema),
      },
    )
    .get("/reconciliation.csv", ({ query, request }) => sendExport(parts, CSV, request, query), {
      ...reads(
        "reconciliation.read",
        "getReconciliationCsv",
        "List the calls that providers were sent as CSV",
      ),
      query: takesQuery(reconciliationQuery),
    });
}
