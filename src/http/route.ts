// POST /v1/route and /v1/feedback: what a selector would choose and why, and how good an answer was.

import { Elysia } from "elysia";
import { Fault } from "../core/fault.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { GatewayKey } from "../core/key.ts";
import type { Store } from "../core/store.ts";
import { cutStoredName } from "../core/stored-name.ts";
import { type KnownPorts, knownNow } from "../gateway/plan-request.ts";
import { checkImageUrls } from "../gateway/unable.ts";
import { Conversation } from "../health/stickiness.ts";
import { nameConversation } from "../operations/chat/conversation.ts";
import { findNeeds } from "../operations/chat/needs.ts";
import { CHAT } from "../operations/chat/operation.ts";
import { choose } from "../selectors/choose.ts";
import { boundAt, makeLesson, readKind } from "../selectors/learning/lesson.ts";
import { routeView } from "../selectors/route-view.ts";
import type { SelectorRule } from "../selectors/selector.ts";
import { missingParameter } from "../surfaces/bounds.ts";
import { readChatRequest } from "../surfaces/openai-chat/read.ts";
import { json } from "./answers.ts";
import { bearerToken, requireSecret } from "./auth.ts";
import { readJson } from "./body.ts";
import { headerNumber } from "./headers.ts";
import type { HttpPorts } from "./ports.ts";
import { listCandidates, readSelection } from "./selection.ts";

const FEEDBACK_BYTES_MAX = 4096;
const ID_CHARACTERS_MAX = 100;

export interface RoutePorts extends HttpPorts {
  readonly known: KnownPorts;
  readonly store: Pick<Store, "request" | "teach">;
}

export function routeRoutes(ports: RoutePorts) {
  return new Elysia()
    .use(bearerToken())
    .post("/v1/route", ({ request, bearer }) => route(ports, request, bearer), { parse: "none" })
    .post("/v1/feedback", ({ request, bearer }) => feedback(ports, request, bearer), { parse: "none" });
}

/** Calls nobody, costs nothing, takes no place. */
async function route(ports: RoutePorts, request: Request, bearer: string | undefined): Promise<Response> {
  const key = await ports.authenticate(requireSecret(bearer));
  const { catalogue, limits, rules, upstreams } = ports.snapshot();
  const body = await readJson(request, ports, { owner: key.id, bytesMax: ports.server.bodyBytesMax });
  const asked = readChatRequest(body, limits);
  const share = headerNumber(request.headers, "x-poundkey-quality", 0, 1) ?? rules.fairQuality;
  const allowed = new Set(listCandidates(key, catalogue).map(({ id }) => id));
  const choice = choose(requireSelector(asked.model, key, ports), {
    ...knownNow(ports.known, new Conversation(key.id, () => nameConversation(asked, null))),
    request: asked,
    needs: findNeeds(asked),
    cards: catalogue.list(),
    allowed: (id) => allowed.has(id),
    takesImageUrls: checkImageUrls({ operation: CHAT, ask: asked, raw: null, upstreams }),
    rules,
    quality: share,
  });
  return json(200, routeView(choice));
}

function requireSelector(model: string, key: GatewayKey, ports: RoutePorts): SelectorRule {
  const selection = readSelection(model, key, ports.snapshot().catalogue);
  if (selection.kind === "selector") return selection.selector;
  const message = "Invalid 'model': a selector chooses, so name Router#best, Router#fair or Router#light.";
  throw new Fault("invalid_value", message, { param: "model" });
}

/** The first score of a completion counts. The selector learns from it once every node has read it. */
async function feedback(ports: RoutePorts, request: Request, bearer: string | undefined): Promise<Response> {
  const key = await ports.authenticate(requireSecret(bearer));
  const body = await readJson(request, ports, { owner: key.id, bytesMax: FEEDBACK_BYTES_MAX });
  const { id, score } = feedbackOf(body);
  const record = await ports.store.request(cutStoredName(id));
  if (record === null || record.keyId !== key.id) {
    throw new Fault("not_found", "There is no completion with that id of this key.", { param: "id" });
  }
  const kind = record.decision === null ? null : readKind(record.decision);
  const answered = record.modelUsed === null ? null : ports.snapshot().catalogue.resolve(record.modelUsed);
  if (kind === null || answered?.kind !== "card") return json(200, { id, score, learned: false });
  const { accountId, keyId } = record;
  const atMs = ports.clock.nowMs();
  const about = { accountId, keyId, id: record.id, atMs, source: "score", score, weight: 1 } as const;
  const learned = await ports.store.teach(makeLesson(about, answered.card, kind), boundAt(atMs));
  return json(200, { id, score, learned });
}

function feedbackOf(body: unknown): { readonly id: string; readonly score: number } {
  if (!isObject(body)) throw new Fault("invalid_json", "The body must be a JSON object.");
  const { score } = body;
  const id = idOf(body);
  if (score === undefined || score === null) throw missingParameter("score");
  if (typeof score !== "number") {
    throw new Fault("invalid_type", "Invalid type for 'score': expected a number from 0 to 1.", {
      param: "score",
    });
  }
  if (score < 0) {
    throw new Fault("decimal_below_min_value", "Invalid 'score': expected 0 or more.", { param: "score" });
  }
  if (score > 1) {
    throw new Fault("decimal_above_max_value", "Invalid 'score': expected 1 or less.", { param: "score" });
  }
  return { id, score };
}

function idOf({ id }: JsonObject): string {
  if (id === undefined || id === null) throw missingParameter("id");
  if (typeof id === "string" && cutStoredName(id).length <= ID_CHARACTERS_MAX) return id;
  throw new Fault("invalid_type", "Invalid type for 'id': expected a completion's id.", { param: "id" });
}
