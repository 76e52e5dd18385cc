// The routes of interactions besides their POST: kept ones.
import { Elysia } from "elysia";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { KeptExchange } from "../../core/log/kept.ts";
import { replayInteraction, writeKept } from "../../surfaces/interactions/stored.ts";
import { INTERACTIONS } from "../../surfaces/interactions/surface.ts";
import { describeObject } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { identify, type RouteRequest } from "../serve/auth.ts";
import { isOf } from "./earlier.ts";
import { createHeldResponse, type HeldAnswer } from "./held-answer.ts";

const TAG = "Interactions";
type KeptLookup = RouteRequest & {
  readonly params: { readonly id: string };
  readonly query: InteractionQuery;
};
type InteractionQuery = Readonly<Record<string, string | undefined>>;

/** Google's SDKs ask below `/v1`, other clients below `/v1beta`. */
export function interactionRoutes(ports: HttpPorts) {
  const read = (asked: KeptLookup) => readKept(ports, asked);
  const remove = (asked: KeptLookup) => removeKept(ports, asked);
  const cancel = (asked: KeptLookup) => refuseCancel(ports, asked);
  return (
    new Elysia()
      .get("/v1/interactions/:id", read, describeRead("retrieveInteraction"))
      .get("/v1beta/interactions/:id", read, describeRead("retrieveInteractionBeta"))
      .delete("/v1/interactions/:id", remove, describeRemoval("deleteInteraction"))
      .delete("/v1beta/interactions/:id", remove, describeRemoval("deleteInteractionBeta"))
      // Without it, the path would be one of Gemini's models.
      .post("/v1beta/interactions/:id", refusePost, { parse: "none", detail: { hide: true } })
      .post("/v1/interactions/:id/cancel", cancel, describeCancel("cancelInteraction"))
      .post("/v1beta/interactions/:id/cancel", cancel, describeCancel("cancelInteractionBeta"))
  );
}

function refusePost(): never {
  const message = "This URL supports GET and DELETE, not POST.";
  throw new Fault("method_not_supported", message, { allow: "GET, DELETE" });
}

function describeRead(id: string) {
  const answer = "The interaction; with `stream=true` its events, those after `last_event_id`.";
  return describeObject(TAG, id, "Get a kept interaction", answer);
}

function describeRemoval(id: string) {
  return describeObject(TAG, id, "Delete a kept interaction", "An empty object.");
}

function describeCancel(id: string) {
  const summary = "Cancel an interaction in the background, of which there are none";
  const answer = "Always a refusal: an interaction ends when its client hangs up.";
  return { parse: "none", ...describeObject(TAG, id, summary, answer) } as const;
}

async function readKept(ports: HttpPorts, asked: KeptLookup): Promise<Response> {
  const { kept, accountId } = await findKept(ports, asked);
  return createHeldResponse(ports, asked.request, accountId, readAnswer(kept, asked.query));
}

async function removeKept(ports: HttpPorts, asked: KeptLookup): Promise<Response> {
  const { id } = asked.params;
  const { key } = await identify(ports, asked);
  const isOwn = isOf(INTERACTIONS.idPrefix, id);
  if (!isOwn || !(await ports.kept.remove(key, id))) throw makeMissing(id);
  return createJsonResponse(200, {});
}

async function refuseCancel(ports: HttpPorts, asked: KeptLookup): Promise<never> {
  const { kept } = await findKept(ports, asked);
  throw invalidValue("id", `the interaction '${kept.id.slice(0, 100)}' doesn't run in the background`);
}

async function findKept(ports: HttpPorts, asked: KeptLookup) {
  const { id } = asked.params;
  const { key } = await identify(ports, asked);
  const kept = isOf(INTERACTIONS.idPrefix, id) ? await ports.kept.get(key, id) : null;
  if (kept === null) throw makeMissing(id);
  return { kept, accountId: key.accountId };
}

function makeMissing(id: string): Fault {
  return new Fault("interaction_not_found", `Interaction '${id.slice(0, 100)}' not found.`, { param: "id" });
}

function readAnswer(kept: KeptExchange, query: InteractionQuery): HeldAnswer {
  const body = writeKept(kept, readSwitch(query, "include_input"));
  const isStreamed = readSwitch(query, "stream");
  const { last_event_id: last } = query;
  if (last !== undefined && !isStreamed) throw invalidValue("last_event_id", "it needs 'stream=true'");
  if (!isStreamed) return { body };
  const isNumber = last === undefined || /^[1-9]\d{0,14}$/.test(last);
  const events = isNumber ? replayInteraction(kept, Number(last ?? 0)) : null;
  if (events === null) throw invalidValue("last_event_id", "the interaction has no such event");
  return { body, events };
}

/** Returns a query that is `true` or `false`. One that is missing or empty is false. */
function readSwitch(query: InteractionQuery, name: string): boolean {
  const value = query[name] ?? "";
  if (!["", "true", "false"].includes(value)) throw invalidValue(name, "expected true or false");
  return value === "true";
}
