// /admin/v1/batches: batches of all accounts, each narrowed to what the sender sees.
import { Elysia } from "elysia";
import {
  type BatchesParts,
  batchDetailSchema,
  batchesQuery,
  batchSchema,
  cancelBatch,
  getBatch,
  listBatches,
} from "../../admin/models/batches.ts";
import { wrapRows } from "../../admin/schema.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function adminBatchRoutes(operator: WritingParts, parts: BatchesParts) {
  const { reads, writes } = createOperatorHooks(operator, "Batches");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/batches", ({ query, request }) => listBatches(parts, query, readOperator(request).scope), {
      ...reads("batches.read", "listAdminBatches", "List batches, newest first"),
      query: takesQuery(batchesQuery),
      response: returnsBody(wrapRows(batchSchema)),
    })
    .get("/batches/:id", ({ params: { id }, request }) => getBatch(parts, id, readOperator(request).scope), {
      ...reads("batches.read", "getAdminBatch", "Get a batch"),
      response: returnsBody(batchDetailSchema),
    })
    .post(
      "/batches/:id/cancel",
      ({ params: { id }, request }) => cancelBatch(parts, id, readOperator(request).scope),
      {
        ...writes("batches.cancel", "cancelAdminBatch", "Cancel a batch: no line of it starts any more"),
        response: returnsBody(batchSchema),
      },
    );
}
