// /v1/batches: batches in OpenAI's form.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { StoredFile } from "../../core/batches/file.ts";
import { Fault } from "../../core/faults/fault.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { BATCHES_UNSERVED } from "../../surfaces/gemini/unserved.ts";
import { findAsker } from "../../surfaces/index.ts";
import { readBatchOrder } from "../../surfaces/openai-batches/read.ts";
import { viewOpenaiBatch } from "../../surfaces/openai-batches/view.ts";
import { readJson } from "../body/body.ts";
import { checkRoom } from "../door/arrive.ts";
import { describeObject } from "../openapi/route-schema.ts";
import { createJsonResponse } from "../serve/answers.ts";
import type { RouteRequest } from "../serve/auth.ts";
import { type BatchPorts, checkOn, readLimit, readSent, readTerms, type Sender } from "./sent.ts";

const TAG = "Batches";
const SURFACE = "openai-batches";
const LIMIT_MAX = 100;
const BODY_BYTES_MAX = 65_536;

/** For the description of the API alone: `readBatchOrder` says more about a mistake. */
const ORDER = Type.Object({
  input_file_id: Type.String(),
  endpoint: Type.String(),
  completion_window: Type.String(),
  metadata: Type.Optional(Type.Object({}, { additionalProperties: Type.String() })),
  output_expires_after: Type.Optional(
    Type.Object({ anchor: Type.String({ enum: ["created_at"] }), seconds: Type.Integer() }),
  ),
});

/** Throws the Faults of a key that isn't let in, and of a form whose batches aren't here. */
async function enter(ports: BatchPorts, route: RouteRequest): Promise<Sender> {
  const asker = findAsker(route.request.headers);
  if (asker === "google") throw new Fault("unknown_url", BATCHES_UNSERVED);
  if (asker === "anthropic")
    throw new Fault("unknown_url", "Batches in Anthropic's form are at /v1/messages/batches.");
  return readSent(ports, route);
}

export function openaiBatchRoutes(ports: BatchPorts) {
  const { batches } = ports;
  return new Elysia()
    .post(
      "/v1/batches",
      async (route) => {
        const sent = await enter(ports, route);
        checkOn(ports);
        checkRoom(ports);
        return createJsonResponse(200, await create(ports, sent, route.request));
      },
      {
        parse: "none",
        ...describeObject(TAG, "createBatch", "Have the lines of a file answered", "The batch.", ORDER),
      },
    )
    .get(
      "/v1/batches",
      async (route) => createJsonResponse(200, await listPage(ports, await enter(ports, route), route.query)),
      describeObject(TAG, "listBatches", "List batches, newest first", "The batches."),
    )
    .get(
      "/v1/batches/:id",
      async (route) => {
        const { owner } = await enter(ports, route);
        return createJsonResponse(200, viewOpenaiBatch(await batches.find(route.params.id, owner, SURFACE)));
      },
      describeObject(TAG, "retrieveBatch", "Get a batch with its counts and costs", "The batch."),
    )
    .post(
      "/v1/batches/:id/cancel",
      async (route) => {
        const { owner } = await enter(ports, route);
        const batch = await batches.find(route.params.id, owner, SURFACE);
        return createJsonResponse(200, viewOpenaiBatch(await batches.cancel(batch)));
      },
      {
        parse: "none",
        ...describeObject(TAG, "cancelBatch", "Cancel a batch that hasn't ended", "The batch."),
      },
    );
}

async function listPage(
  { batches }: Pick<BatchPorts, "batches">,
  { owner }: Sender,
  query: Readonly<Record<string, string | undefined>>,
) {
  const limit = readLimit(query, LIMIT_MAX);
  const { after } = query;
  const last = after === undefined ? null : await batches.find(after, owner, SURFACE);
  const position = last && { atMs: last.createdAtMs, id: last.id };
  const found = await batches.list(owner, SURFACE, { limit: limit + 1, after: position });
  const data = found.slice(0, limit).map(viewOpenaiBatch);
  const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: "list", data, ...ids, has_more: found.length > limit };
}

async function create(ports: BatchPorts, { key, owner }: Sender, request: Request) {
  const terms = readTerms(ports, request, key);
  const body = await readJson(request, ports, { owner: key.accountId, bytesMax: BODY_BYTES_MAX });
  const order = readBatchOrder(body);
  const file = await ports.files.find(order.inputFileId, owner);
  checkInput(ports, order.inputFileId, file);
  const batch = await ports.batches.add(key, {
    ...order,
    ...terms,
    id: `batch_${mintOrderedId(ports.random, ports.clock.nowMs())}`,
    surface: SURFACE,
    inputBytes: file.bytes,
    lines: 0,
    bodyDigest: ports.vault.digest(JSON.stringify([order, terms.headers, terms.maxCostNanoUsd])),
  });
  return viewOpenaiBatch(batch);
}

function checkInput(
  { batchRules }: Pick<BatchPorts, "batchRules">,
  id: string,
  file: StoredFile | null,
): asserts file is StoredFile {
  const param = "input_file_id";
  if (file === null || file.form !== "openai")
    throw new Fault("file_not_found", `No such file: '${id.slice(0, 100)}'.`, { param });
  if (file.purpose !== "batch") {
    const message = `The file '${id}' was uploaded with the purpose '${file.purpose}', not 'batch'.`;
    throw new Fault("invalid_value", message, { param });
  }
  const { bytesMax } = batchRules();
  if (file.bytes <= bytesMax) return;
  throw new Fault("request_too_large", `A batch may have at most ${bytesMax} bytes (batches.max_bytes).`, {
    param,
  });
}
