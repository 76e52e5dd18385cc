// /v1/messages/batches: batches in Anthropic's form.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Batch, hasEnded } from "../../core/batches/batch.ts";
import { Fault } from "../../core/faults/fault.ts";
import { takeTurns } from "../../core/world/input-turns.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { FileMissing } from "../../files/port.ts";
import { readResults } from "../../jobs/finalizing.ts";
import type { BatchOwner } from "../../jobs/kept-batches.ts";
import { nameInput, writePieces } from "../../jobs/objects.ts";
import { makeAnthropicLines, RequestSplitter } from "../../surfaces/anthropic-batches/read.ts";
import { viewAnthropicBatch } from "../../surfaces/anthropic-batches/view.ts";
import { checkType, refuseEncoded } from "../body/body.ts";
import { readPaced } from "../body/paced-bytes.ts";
import { checkRoom } from "../door/arrive.ts";
import { describeObject, describeRoute } from "../openapi/route-schema.ts";
import { createJsonResponse, createResponse } from "../serve/answers.ts";
import type { HeaderStore } from "../serve/app.ts";
import type { RouteRequest } from "../serve/auth.ts";
import { findAddress } from "./address.ts";
import { type BatchPorts, checkOn, readLimit, readSent, readTerms, type Sender } from "./sent.ts";
import { BATCH_WORDS, readLines } from "./words.ts";

const TAG = "Batches";
const SURFACE = "anthropic-batches";
const LIMIT_MAX = 1000;
const PAGE = 500;

type AnthropicBatchQuery = Readonly<Record<string, string | undefined>>;
type BatchList = Pick<BatchPorts, "batches">;

/** A request as the routes get it, with the headers that its answer gets. */
type BatchRoute = RouteRequest & { readonly set: HeaderStore };

/** For the description of the API alone: the list is read as it arrives. */
const ORDER = Type.Object({
  requests: Type.Array(Type.Object({ custom_id: Type.String(), params: Type.Object({}) })),
});

export function anthropicBatchRoutes(ports: BatchPorts) {
  return new Elysia().use(changingRoutes(ports)).use(readingRoutes(ports));
}

async function enter(ports: BatchPorts, route: BatchRoute): Promise<Sender> {
  route.set.headers["request-id"] = String(route.set.headers["x-request-id"]);
  return readSent(ports, route);
}

async function find(ports: BatchPorts, route: BatchRoute, id: string): Promise<Batch> {
  const { owner } = await enter(ports, route);
  return ports.batches.find(id, owner, SURFACE);
}

function show(ports: BatchPorts, { request }: BatchRoute, batch: Batch): Response {
  return createJsonResponse(200, viewAnthropicBatch(batch, findAddress(ports, request)));
}

function changingRoutes(ports: BatchPorts) {
  const { batches } = ports;
  return new Elysia()
    .post(
      "/v1/messages/batches",
      async (route) => {
        const sent = await enter(ports, route);
        checkOn(ports);
        checkRoom(ports);
        findAddress(ports, route.request);
        return show(ports, route, await create(ports, sent, route.request));
      },
      {
        parse: "none",
        ...describeObject(TAG, "createMessageBatch", "Have a list of messages answered", "The batch.", ORDER),
      },
    )
    .post(
      "/v1/messages/batches/:id/cancel",
      async (route) => {
        const batch = await find(ports, route, route.params.id);
        return show(ports, route, hasEnded(batch) ? batch : await batches.cancel(batch));
      },
      {
        parse: "none",
        ...describeObject(TAG, "cancelMessageBatch", "Cancel a batch of messages", "The batch."),
      },
    )
    .delete(
      "/v1/messages/batches/:id",
      async (route) => {
        const batch = await find(ports, route, route.params.id);
        await batches.remove(batch);
        return createJsonResponse(200, { id: batch.id, type: "message_batch_deleted" });
      },
      describeObject(TAG, "deleteMessageBatch", "Delete a batch that has ended", "The deleted batch's id."),
    );
}

function readingRoutes(ports: BatchPorts) {
  return new Elysia()
    .get(
      "/v1/messages/batches",
      async (route) => {
        const { owner } = await enter(ports, route);
        const { data, hasMore } = await listPage(ports, owner, route.query);
        const address = findAddress(ports, route.request);
        const views = data.map((batch) => viewAnthropicBatch(batch, address));
        const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
        return createJsonResponse(200, { data: views, has_more: hasMore, ...ids });
      },
      describeObject(TAG, "listMessageBatches", "List batches of messages, newest first", "The batches."),
    )
    .get(
      "/v1/messages/batches/:id",
      async (route) => show(ports, route, await find(ports, route, route.params.id)),
      describeObject(TAG, "retrieveMessageBatch", "Get a batch of messages", "The batch."),
    )
    .get(
      "/v1/messages/batches/:id/results",
      async (route) => {
        const batch = await find(ports, route, route.params.id);
        if (hasEnded(batch)) return streamResults(ports, batch);
        const message = `The batch '${batch.id}' has no results before its end.`;
        throw new Fault("not_found", message, { param: "message_batch_id" });
      },
      describeRoute(
        TAG,
        "retrieveMessageBatchResults",
        "Get the results of a batch",
        "A line for each message.",
      ),
    );
}

/** The requests are checked as they arrive, and kept in pieces. Nothing is left of a creation that fails. */
async function create(ports: BatchPorts, { key }: Sender, request: Request): Promise<Batch> {
  refuseEncoded(request.headers);
  checkType(request.headers);
  const { files, clock, random, vault, batchRules, server, deadlines } = ports;
  const terms = readTerms(ports, request, key);
  const { bytesMax, linesMax, windowMs } = batchRules();
  const room = await files.measureRoom(key.accountId);
  const lacking = room.lacks(Number(request.headers.get("content-length") ?? 0));
  if (lacking !== null) throw new Fault("storage_limit_exceeded", lacking);
  const id = `msgbatch_${mintOrderedId(random, clock.nowMs())}`;
  const object = nameInput({ id });
  const input = new CheckedInput(linesMax, server.bodyBytesMax);
  try {
    const body = takeTurns(readPaced(request, bytesMax, deadlines), ports.batches.nextTurn);
    const place = { accountId: key.accountId, object };
    const inputBytes = await writePieces(files, place, input.read(body));
    const headers = JSON.stringify([terms.headers, terms.maxCostNanoUsd]);
    const batch = await ports.batches.add(key, {
      ...terms,
      id,
      surface: SURFACE,
      endpoint: "/v1/messages",
      window: "",
      windowMs,
      metadata: null,
      inputFileId: null,
      outputSeconds: null,
      inputBytes,
      lines: input.count,
      bodyDigest: vault.digest(`${input.digest()} ${headers}`),
    });
    if (batch.id !== id) await files.pieces.remove(key.accountId, object);
    return batch;
  } catch (thrown) {
    await files.pieces.remove(key.accountId, object).catch(() => {});
    throw thrown;
  }
}

/** Splits a body into lines, and checks each before it goes on. */
class CheckedInput {
  readonly #linesMax: number;
  readonly #lineBytesMax: number;
  readonly #hasher = new Bun.CryptoHasher("sha256");
  /** The number of requests that were read. */
  count = 0;

  constructor(linesMax: number, lineBytesMax: number) {
    this.#linesMax = linesMax;
    this.#lineBytesMax = lineBytesMax;
  }

  digest(): string {
    return this.#hasher.digest("hex");
  }

  /** Throws the Fault of the first request that isn't one. */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const splitter = new RequestSplitter();
    const passed: Uint8Array[] = [];
    const split = async function* (hasher: Bun.CryptoHasher) {
      for await (const part of body) {
        const lines = splitter.push(part);
        hasher.update(lines);
        passed.push(lines);
        yield lines;
      }
      splitter.end();
    };
    for await (const line of readLines(makeAnthropicLines(this.#lineBytesMax), split(this.#hasher))) {
      if (++this.count > this.#linesMax)
        throw new Fault(
          "request_too_large",
          `A batch may have at most ${this.#linesMax} requests (batches.lines).`,
        );
      if ("mistake" in line) throw explain(line.mistake.message, this.count - 1);
      yield* passed.splice(0);
    }
    if (this.count === 0)
      throw new Fault("empty_array", "requests: List should have at least 1 item", { param: "requests" });
    yield* passed.splice(0);
  }
}

function explain(message: string, at: number): Fault {
  return new Fault("invalid_value", `requests.${at}: ${message}`, { param: `requests.${at}` });
}

async function listPage({ batches }: BatchList, owner: BatchOwner, query: AnthropicBatchQuery) {
  const limit = readLimit(query, LIMIT_MAX);
  const { after_id: after, before_id: before } = query;
  if (before !== undefined) return listBefore({ batches }, owner, before, limit);
  const last = after === undefined ? null : await batches.find(after, owner, SURFACE);
  const position = last && { atMs: last.createdAtMs, id: last.id };
  const found = await batches.list(owner, SURFACE, { limit: limit + 1, after: position });
  return { data: found.slice(0, limit), hasMore: found.length > limit };
}

/** The batches that are newer than this one, the nearest of them. */
async function listBefore({ batches }: BatchList, owner: BatchOwner, id: string, limit: number) {
  const { createdAtMs } = await batches.find(id, owner, SURFACE);
  const newer: Batch[] = [];
  for (let after: { readonly atMs: number; readonly id: string } | null = null; ; ) {
    const found: readonly Batch[] = await batches.list(owner, SURFACE, { limit: PAGE, after });
    const until = found.findIndex((batch) => batch.id === id || batch.createdAtMs < createdAtMs);
    newer.push(...(until === -1 ? found : found.slice(0, until)));
    const last = found.at(-1);
    if (until !== -1 || last === undefined || found.length < PAGE) break;
    after = { atMs: last.createdAtMs, id: last.id };
  }
  return { data: newer.slice(-limit), hasMore: newer.length > limit };
}

/** Piece by piece, no faster than the client reads. */
function streamResults({ files, batches }: BatchPorts, batch: Batch): Response {
  const results = readResults({ store: batches.store, files, words: BATCH_WORDS }, batch);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await results.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          controller.error(thrown instanceof FileMissing ? new Error("The results are missing.") : thrown);
        }
      },
      cancel: () => void results.return(undefined),
    },
    { highWaterMark: 0 },
  );
  return createResponse(200, body, { "content-type": "application/x-jsonl" });
}
