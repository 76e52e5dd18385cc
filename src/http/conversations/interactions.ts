// The routes of interactions besides their POST: kept ones.
import { Elysia } from "elysia";
import { Fault } from "../../core/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { KeptExchange } from "../../core/models/kept.ts";
import { replayInteraction, writeKept } from "../../surfaces/interactions/stored.ts";
import { INTERACTIONS } from "../../surfaces/interactions/surface.ts";
import { describeObject } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { identify, type RouteRequest } from "../serve/auth.ts";
import { isOf } from "./earlier.ts";
import { createHeldResponse, type HeldAnswer } from "./held-answer.ts";

const TAG = "Interactions";
/** Google's SDKs ask below `/v1`, other clients below `/v1beta`. */
const VERSIONS = ["/v1", "/v1beta"] as const;

type Query = Readonly<Record<string, string | undefined>>;

export function interactionRoutes(ports: HttpPorts) {
  const app = new Elysia();
  for (const version of VERSIONS) addRoutes(app, version, ports);
  return app;
}

function addRoutes(app: Elysia, version: (typeof VERSIONS)[number], ports: HttpPorts): void {
  const path = `${version}/interactions/:id` as const;
  const describe = (id: string, summary: string, answer: string) =>
    describeObject(TAG, version === "/v1" ? id : `${id}Beta`, summary, answer);
  app
    .get(
      path,
      async (asked) => {
        const { kept, accountId } = await findKept(ports, asked, asked.params.id);
        return createHeldResponse(ports, asked.request, accountId, readAnswer(kept, asked.query));
      },
      describe(
        "retrieveInteraction",
        "Get a kept interaction",
        "The interaction; with `stream=true` its events, those after `last_event_id`.",
      ),
    )
    .delete(
      path,
      async (asked) => {
        const { id } = asked.params;
        const { key } = await identify(ports, asked);
        const isOwn = isOf(INTERACTIONS.idPrefix, id);
        if (!isOwn || !(await ports.kept.remove(key, id))) throw makeMissing(id);
        return createJsonResponse(200, {});
      },
      describe("deleteInteraction", "Delete a kept interaction", "An empty object."),
    )
    .post(
      `${path}/cancel`,
      async (asked) => {
        const { id } = asked.params;
        await findKept(ports, asked, id);
        throw invalidValue("id", `the interaction '${id.slice(0, 100)}' doesn't run in the background`);
      },
      {
        parse: "none",
        ...describe(
          "cancelInteraction",
          "Cancel an interaction in the background, of which there are none",
          "Always a refusal: an interaction ends when its client hangs up.",
        ),
      },
    );
}

async function findKept(ports: HttpPorts, asked: RouteRequest, id: string) {
  const { key } = await identify(ports, asked);
  const kept = isOf(INTERACTIONS.idPrefix, id) ? await ports.kept.get(key, id) : null;
  if (kept === null) throw makeMissing(id);
  return { kept, accountId: key.accountId };
}

function makeMissing(id: string): Fault {
  return new Fault("interaction_not_found", `Interaction '${id.slice(0, 100)}' not found.`, { param: "id" });
}

function readAnswer(kept: KeptExchange, query: Query): HeldAnswer {
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
function readSwitch(query: Query, name: string): boolean {
  const value = query[name] ?? "";
  if (!["", "true", "false"].includes(value)) throw invalidValue(name, "expected true or false");
  return value === "true";
}
