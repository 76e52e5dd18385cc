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
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";
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
  const read = (lookup: KeptLookup) => readKept(ports, lookup);
  const remove = (lookup: KeptLookup) => removeKept(ports, lookup);
  const cancel = (lookup: KeptLookup) => refuseCancel(ports, lookup);
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

async function readKept(ports: HttpPorts, lookup: KeptLookup): Promise<Response> {
  const { kept, accountId } = await findKept(ports, lookup);
  return createHeldResponse(ports, lookup.request, accountId, readAnswer(kept, lookup.query));
}

async function removeKept(ports: HttpPorts, lookup: KeptLookup): Promise<Response> {
  const { id } = lookup.params;
  const { key } = await identifyCaller(ports, lookup);
  const isOwn = isOf(INTERACTIONS.idPrefix, id);
  if (!isOwn || !(await ports.kept.remove(key, id))) throw makeMissing(id);
  return createJsonResponse(200, {});
}

async function refuseCancel(ports: HttpPorts, lookup: KeptLookup): Promise<never> {
  const { kept } = await findKept(ports, lookup);
  throw invalidValue("id", `the interaction '${kept.id.slice(0, 100)}' doesn't run in the background`);
}

async function findKept(ports: HttpPorts, lookup: KeptLookup) {
  const { id } = lookup.params;
  const { key } = await identifyCaller(ports, lookup);
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
