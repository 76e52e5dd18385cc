// POST /v1/route and /v1/feedback: a selector's choice and its reasons, and scores of answers.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { readInput } from "../../admin/input.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Steering } from "../../core/models/steering.ts";
import { cutStoredName } from "../../core/models/stored-name.ts";
import type { Store } from "../../core/store.ts";
import { makeCeiling } from "../../gateway/plan/ceiling.ts";
import { type KnownPorts, readKnown } from "../../gateway/plan/plan-request.ts";
import { Routes } from "../../gateway/plan/routes.ts";
import { readWishes } from "../../gateway/plan/unable.ts";
import { Conversation } from "../../health/stickiness.ts";
import { nameConversation } from "../../operations/chat/conversation.ts";
import { findNeeds } from "../../operations/chat/needs.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { choose } from "../../selectors/choose.ts";
import { routeSchema, viewRouteForKey } from "../../selectors/route-view.ts";
import { readFields } from "../../surfaces/checker.ts";
import { readChatRequest } from "../../surfaces/openai-chat/read.ts";
import { chatRequestSchema } from "../../surfaces/openai-chat/schema.ts";
import { readJson } from "../body/body.ts";
import { listCandidates, openNamed, readSelection, readSteering, steerSelection } from "../door/selection.ts";
import { withOptionalNulls } from "../openapi/form.ts";
import { describeResponse, describeRoute } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";

const FEEDBACK_BYTES_MAX = 4096;
const ID_CHARACTERS_MAX = 100;
const TAG = "Selectors";

const score = Type.Number({ minimum: 0, maximum: 1 });
const feedbackSchema = Type.Object({ id: Type.String(), score });
const learnedSchema = Type.Object({ ...feedbackSchema.properties, learned: Type.Boolean() });

export interface RoutePorts extends HttpPorts {
  readonly known: KnownPorts;
  /** Learns a client's score of a card's answer. False if nothing is learned from it. */
  readonly learn: (record: RequestRecord, card: ModelCard, score: number) => Promise<boolean>;
  readonly store: Pick<Store, "request">;
}

export function routeRoutes(ports: RoutePorts) {
  const chosen = describeResponse("The candidates, best first.", routeSchema);
  const taken = describeResponse("`learned` says whether the selectors learn from the score.", learnedSchema);
  const asked = withOptionalNulls(chatRequestSchema);
  return new Elysia()
    .post("/v1/route", (asked) => route(ports, asked), {
      parse: "none",
      ...describeRoute(TAG, "route", "Get a selector's choice, without calling a provider", chosen, asked),
    })
    .post("/v1/feedback", (asked) => feedback(ports, asked), {
      parse: "none",
      ...describeRoute(TAG, "feedback", "Score a completion", taken, feedbackSchema),
    });
}

async function route(ports: RoutePorts, { request, server }: RouteRequest): Promise<Response> {
  const { key } = await identifyCaller(ports, { request, server });
  return decideForKey(ports, request, key);
}

/** Answers with a selector's choice for this key. Makes no upstream call, is free, and takes no slot. */
export async function decideForKey(ports: RoutePorts, request: Request, key: GatewayKey): Promise<Response> {
  const { catalogue, limits, rules, upstreams, billing } = ports.snapshot();
  const body = await readJson(request, ports, { owner: key.accountId, bytesMax: ports.server.bodyBytesMax });
  const asked = readChatRequest(body, limits);
  const allowed = new Set(
    listCandidates(openNamed(asked.model, key, catalogue), catalogue).map(({ id }) => id),
  );
  const { selector, steering } = requireSelector(asked.model, key, readSteering(request.headers), ports);
  const routes = new Routes(CHAT, "openai", upstreams);
  const call = { operation: CHAT, ask: asked, raw: null, routes, isLimitRequired: false };
  const { markup } = billing;
  const ceiling = makeCeiling({ ...call, searches: 0, unreadBytes: 0, markup, steering });
  await ports.learned();
  const choice = choose(selector, {
    ...readKnown(
      ports.known,
      new Conversation(key.id, { nameConversation: () => nameConversation(asked, null) }),
      namePayer(key),
    ),
    request: asked,
    needs: findNeeds(asked),
    cards: catalogue.list(),
    allowed: (id) => allowed.has(id),
    ...readWishes(call),
    rules,
    steering,
    markup,
    quality: steering.quality ?? rules.fairQuality,
  });
  return createJsonResponse(
    200,
    viewRouteForKey(
      choice,
      (id) => allowed.has(id),
      (card) => ceiling?.covers(card) !== false,
    ),
  );
}

function requireSelector(model: string, key: GatewayKey, asked: Steering, ports: RoutePorts) {
  const named = readSelection(model, key, ports.snapshot().catalogue);
  const { selection, steering } = steerSelection(named, asked);
  if (selection.kind === "selector") return { selector: selection.selector, steering };
  throw invalidValue(
    "model",
    "expected a selector (Router#best, Router#fair, Router#light) or an alias of one",
  );
}

/** Only a completion's first score counts. The selector learns from it once every node has read it. */
async function feedback(ports: RoutePorts, asked: RouteRequest): Promise<Response> {
  const { key } = await identifyCaller(ports, asked);
  const body = await readJson(asked.request, ports, { owner: key.accountId, bytesMax: FEEDBACK_BYTES_MAX });
  const { id, score } = readFeedback(body);
  const record = await ports.store.request(cutStoredName(id));
  if (record === null || record.keyId !== key.id) {
    throw new Fault("not_found", "This key has no completion with that id.", { param: "id" });
  }
  const answered = record.modelUsed === null ? null : ports.snapshot().catalogue.resolve(record.modelUsed);
  const learned = answered?.kind === "card" && (await ports.learn(record, answered.card, score));
  return createJsonResponse(200, { id, score, learned });
}

/** Reads only `id` and `score`, because SDKs may send more. */
function readFeedback(body: unknown): Static<typeof feedbackSchema> {
  const feedback = readInput(feedbackSchema, readFields(body));
  if (cutStoredName(feedback.id).length <= ID_CHARACTERS_MAX) return feedback;
  throw new Fault("invalid_type", "Invalid type for 'id': expected the id of a completion.", { param: "id" });
}
