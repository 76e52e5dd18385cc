// The Responses API's routes besides its POST: kept responses.
import { Elysia } from "elysia";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { KeptExchange } from "../../core/log/kept.ts";
import { makeNotFound } from "../../gateway/answer/kept-answers.ts";
import { writeInputItems } from "../../surfaces/openai-responses/input-items.ts";
import { replayResponse } from "../../surfaces/openai-responses/replay.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import { describeObject } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse, createRefusalResponse } from "../serve/answers.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";
import { isOf } from "./earlier.ts";
import { createHeldResponse, type HeldAnswer } from "./held-answer.ts";

/** OpenAI's default and maximum number of input items (API reference, "List input items"). */
const INPUT_ITEMS = 20;
const INPUT_ITEMS_MAX = 100;

const TAG = "Responses";
/** These paths accept POST and WebSockets. Their plain GET exists to explain the refusal. */
const REFUSAL = { detail: { hide: true } } as const;

export function responseRoutes(ports: HttpPorts) {
  const answer = async (asked: RouteRequest, id: string, read: (kept: KeptExchange) => HeldAnswer) => {
    const { key } = await identifyCaller(ports, asked);
    const kept = isOf(OPENAI_RESPONSES.idPrefix, id) ? await ports.kept.get(key, id) : null;
    if (kept === null) throw makeNotFound(id, "id");
    return createHeldResponse(ports, asked.request, key.accountId, read(kept));
  };
  return new Elysia()
    .get("/v1/responses", refuseGet, REFUSAL)
    .get("/responses", refuseGet, REFUSAL)
    .get(
      "/v1/responses/:id",
      (asked) => {
        const after = readStart(asked.query);
        return answer(asked, asked.params.id, ({ response }) =>
          after === null ? { body: response } : { body: response, events: replayResponse(response, after) },
        );
      },
      describeObject(
        TAG,
        "retrieveResponse",
        "Get a stored response",
        "The response; with `stream=true` its events, those after `starting_after`.",
      ),
    )
    .delete(
      "/v1/responses/:id",
      async ({ request, server, params: { id } }) => {
        const { key } = await identifyCaller(ports, { request, server });
        const isOwn = isOf(OPENAI_RESPONSES.idPrefix, id);
        if (!isOwn || !(await ports.kept.remove(key, id))) throw makeNotFound(id, "id");
        return createJsonResponse(200, { id, object: "response", deleted: true });
      },
      describeObject(TAG, "deleteResponse", "Delete a stored response", "The deleted response's id."),
    )
    .get(
      "/v1/responses/:id/input_items",
      (asked) => answer(asked, asked.params.id, ({ input }) => ({ body: listInput(input, asked.query) })),
      describeObject(TAG, "listResponseInput", "List the input items of a stored response", "Its items."),
    );
}

/** Returns the number after which a stream's events start, or null if none is asked for. */
function readStart({ stream, starting_after: after }: Readonly<Record<string, string | undefined>>) {
  if (stream !== undefined && stream !== "true" && stream !== "false")
    throw invalidValue("stream", "expected true or false");
  const number = after === undefined ? -1 : Number(after);
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw invalidValue("starting_after", "expected the sequence number of an event");
  return stream === "true" ? number : null;
}

/**
 * Returns at most `limit` input items after the item `after`, newest first unless `order` is `asc`. Throws the Fault
 * `invalid_value` for a limit out of bounds, another order, and an item that isn't there.
 */
function listInput(
  input: readonly unknown[],
  { limit, order, after }: Readonly<Record<string, string | undefined>>,
) {
  const most = limit === undefined ? INPUT_ITEMS : Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > INPUT_ITEMS_MAX) {
    throw invalidValue("limit", `expected an integer from 1 to ${INPUT_ITEMS_MAX}`);
  }
  if (order !== undefined && order !== "asc" && order !== "desc")
    throw invalidValue("order", "expected asc or desc");
  const items = writeInputItems(input);
  const ordered = order === "asc" ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw invalidValue("after", "expected the id of an input item");
  const data = ordered.slice(start, start + most);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + most < ordered.length,
  };
}

/** A handshake is answered before these routes. */
function refuseGet(): Response {
  const fault = new Fault("method_not_supported", "This URL supports POST, not GET.", { allow: "POST" });
  return createRefusalResponse(fault, OPENAI_RESPONSES.refuse(fault, ""));
}
