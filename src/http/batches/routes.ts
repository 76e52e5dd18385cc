// The routes of batches, for clients in both forms and for operators.
import { Elysia } from "elysia";
import type { BatchesParts } from "../../admin/models/batches.ts";
import type { WritingParts } from "../admin-route.ts";
import { adminContentRoutes } from "../files/admin-content.ts";
import { adminBatchRoutes } from "../models/admin-batches.ts";
import { anthropicBatchRoutes } from "./anthropic.ts";
import { openaiBatchRoutes } from "./openai.ts";
import type { BatchPorts } from "./sent.ts";

export function batchRoutes(ports: BatchPorts, operator: WritingParts, seen: Omit<BatchesParts, "cancel">) {
  return new Elysia()
    .use(openaiBatchRoutes(ports))
    .use(anthropicBatchRoutes(ports))
    .use(adminContentRoutes(operator, { ...ports, store: seen.store }))
    .use(adminBatchRoutes(operator, { ...seen, cancel: (batch) => ports.batches.cancel(batch) }));
}
