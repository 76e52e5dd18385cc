// GET /v1/models: the models that this key can use now, including selectors.
import { Elysia } from "elysia";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { modelView } from "../../catalogue/model-view.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type GatewayKey, mayUse } from "../../core/keys/key.ts";
import { readAliasName } from "../../core/models/alias-entry.ts";
import type { GroupMember, ModelCard } from "../../core/models/card.ts";
import type { Selector } from "../../core/models/selector.ts";
import { SELECTOR_RULES } from "../../selectors/index.ts";
import { listChoosable } from "../../selectors/rules.ts";
import { listCandidates, listSelectors, notFound, openNamed } from "../door/selection.ts";
import { describeObject, describeResponse, describeRoute } from "../openapi/route-schema.ts";
import type { HttpPorts, Snapshot } from "../ports.ts";
import { createJsonResponse, createResponse } from "../serve/answers.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";
import { type NamedCard, nameMembers, writeModelInfo } from "./model-info.ts";
import {
  ANTHROPIC_SHAPE,
  GEMINI_SHAPE,
  type ModelEntry,
  modelListSchema,
  modelSchema,
} from "./model-shapes.ts";

/** 2026-11-20, the day on which selectors were added, as `created` of their entries. */
const SELECTORS_CREATED = 1_795_132_800;

const TAG = "Models";

/** An address ends before a '#', so only the provider's name arrives. */
const CUT = "A '#' ends an address: write it as '%23' or '/'.";

export function modelRoutes(ports: HttpPorts) {
  const begin = async (asked: RouteRequest) => {
    const { key } = await identifyCaller(ports, asked);
    return { key, offer: ports.snapshot() };
  };
  const list = async (asked: RouteRequest) => {
    const { key, offer } = await begin(asked);
    const shape = findShape(asked.request);
    const { searchParams } = new URL(asked.request.url);
    const withEnded = searchParams.get("ended") === "true";
    if (shape === null && !withEnded) return createListResponse(key, offer);
    const models = [...listModels(key, offer), ...(withEnded ? listEnded(key, offer) : [])];
    return createJsonResponse(
      200,
      shape?.writePage(models, searchParams) ?? { object: "list", data: models },
    );
  };
  const one = async (asked: RouteRequest, id: string) => {
    const { key, offer } = await begin(asked);
    const entry = findEntry(decodeId(id), key, offer);
    return createJsonResponse(200, findShape(asked.request)?.write(entry) ?? entry);
  };
  const listInfo = async (asked: RouteRequest) => {
    const { key, offer } = await begin(asked);
    return createJsonResponse(200, { data: listNamed(key, offer.catalogue).map(writeModelInfo) });
  };
  return new Elysia()
    .get("/model/info", (asked) => listInfo(asked), describeInfo("listModelInfo"))
    .get("/v1/model/info", (asked) => listInfo(asked), describeInfo("listModelInfoToo"))
    .get("/v1/models", (asked) => list(asked), describeList("listModels"))
    .get("/models", (asked) => list(asked), describeList("listModelsToo"))
    .get("/v1/models/*", (asked) => one(asked, asked.params["*"]), describeOne("retrieveModel"))
    .get("/models/*", (asked) => one(asked, asked.params["*"]), describeOne("retrieveModelToo"))
    .get(
      "/v1beta/models",
      (asked) => list(asked),
      describeObject(TAG, "listGeminiModels", "List the models, in Google's format", "The models."),
    )
    .get(
      "/v1beta/models/*",
      (asked) => one(asked, asked.params["*"]),
      describeObject(TAG, "retrieveGeminiModel", "Get a model, in Google's format", "The model."),
    );
}

function describeList(operationId: string) {
  const answer = describeResponse("The models, including the selectors.", modelListSchema);
  return describeRoute(TAG, operationId, "List the models that this key can use", answer);
}

function describeInfo(operationId: string) {
  return describeObject(TAG, operationId, "List the models, in LiteLLM's format", "The models.");
}

function describeOne(operationId: string) {
  const answer = describeResponse("The model.", modelSchema);
  return describeRoute(TAG, operationId, "Get a model by its id, encoded as in `OpenAI%23gpt-5.4`", answer);
}

/**
 * Returns the shape of the client's API. Null for OpenAI's. Google's clients, some of which ask at `/v1`, send their own
 * name with each request, and Anthropic's the API version.
 */
function findShape({ headers, url }: Request) {
  if (headers.has("x-goog-api-client") || new URL(url).pathname.startsWith("/v1beta/")) return GEMINI_SHAPE;
  return headers.has("anthropic-version") ? ANTHROPIC_SHAPE : null;
}

/** The models of a configuration, and the rules by which selectors choose among them. */
type OfferedModels = Pick<Snapshot, "catalogue" | "rules">;

function createListResponse(key: GatewayKey, offer: OfferedModels): Response {
  const body = () => JSON.stringify({ object: "list", data: listModels(key, offer) });
  if (key.allowedModels !== null || key.memberModels !== undefined) return createResponse(200, body());
  const lists = wholeLists.getOrInsertComputed(offer.catalogue, () => new WeakMap());
  const whole = lists.get(offer.rules) ?? new TextEncoder().encode(body());
  lists.set(offer.rules, whole);
  return createResponse(200, whole);
}

/** The cached list for keys that may use everything. With ten thousand models it takes 10 ms to write. */
const wholeLists = new WeakMap<Catalogue, WeakMap<OfferedModels["rules"], Uint8Array<ArrayBuffer>>>();

function listModels(key: GatewayKey, offer: OfferedModels): readonly ModelEntry[] {
  const { catalogue } = offer;
  const groups = catalogue.groups().flatMap((name) => findGroup(name, key, catalogue) ?? []);
  const cards = listCandidates(key, catalogue);
  const aliases = [...groups, ...listNamedAliases(key, offer)];
  if (cards.length === 0) return aliases;
  const named = catalogue.list().filter((card) => mayUse(key, card.id));
  const context = findLongest(cards, offer.rules);
  const selectors = listSelectors(key).map((selector) => selectorView(selector, context));
  return [...selectors, ...aliases, ...named.map(modelView)];
}

/** Returns the aliases that the key's or its member's list names, but for groups. Others see what an alias leads to. */
function listNamedAliases(key: GatewayKey, offer: OfferedModels): readonly ModelEntry[] {
  const entries = new Set([...(key.allowedModels ?? []), ...(key.memberModels ?? [])]);
  return [...entries].flatMap((entry) => {
    const name = readAliasName(entry);
    return name === null ? [] : (findNamedAlias(name, key, offer) ?? []);
  });
}

/** Returns what an alias leads to under the alias's name. Null for groups, and if the key's list doesn't open the alias. */
function findNamedAlias(
  name: string,
  key: GatewayKey,
  { catalogue, rules }: OfferedModels,
): ModelEntry | null {
  const opened = openNamed(name, key, catalogue);
  if (opened === key) return null;
  const found = catalogue.resolve(name);
  if (found.kind === "card" && mayUse(opened, found.card.id)) return { ...modelView(found.card), id: name };
  if (found.kind === "selector" && listSelectors(opened).includes(found.selector))
    return selectorView(found.selector, findLongest(listCandidates(opened, catalogue), rules), name);
  return null;
}

/** Returns the models by the names that the key may ask for, without the selectors, which have no price. */
function listNamed(key: GatewayKey, catalogue: Catalogue): readonly NamedCard[] {
  const groups = catalogue
    .groups()
    .flatMap((name) => nameMembers(name, listMembers(name, openNamed(name, key, catalogue), catalogue)));
  const cards = catalogue.list().filter((card) => mayUse(key, card.id));
  return [...groups, ...cards.map((card) => ({ name: card.id, card }))];
}

function listEnded(key: GatewayKey, { catalogue }: OfferedModels): readonly ModelEntry[] {
  const listed = new Set(catalogue.list());
  const ended = catalogue.listWithEnded().filter((card) => !listed.has(card) && mayUse(key, card.id));
  return ended.map(modelView);
}

function findEntry(id: string, key: GatewayKey, offer: OfferedModels): ModelEntry {
  const { catalogue, rules } = offer;
  const found = catalogue.resolve(id);
  const own = findNamedAlias(id, key, offer);
  if (own) return own;
  if (found.kind === "card" && mayUse(key, found.card.id)) return modelView(found.card);
  if (found.kind === "selector" && listSelectors(key).includes(found.selector))
    return selectorView(found.selector, findLongest(listCandidates(key, catalogue), rules));
  const group = findGroup(id, key, catalogue);
  if (group) return group;
  const isCut = catalogue.list().some(({ provider }) => provider === id);
  throw notFound(id, found.kind === "unknown" ? found : { nearest: [], off: null }, isCut ? CUT : "");
}

/** Returns the group with that name, limited to the models that the key may use. Null if there are none. */
function findGroup(name: string, key: GatewayKey, catalogue: Catalogue): ModelEntry | null {
  const members = listMembers(name, openNamed(name, key, catalogue), catalogue);
  return members.length === 0 ? null : groupView(name, members);
}

function listMembers(name: string, bounds: GatewayKey, catalogue: Catalogue): readonly GroupMember[] {
  const found = catalogue.resolve(name);
  return found.kind === "group" ? found.members.filter(({ card }) => mayUse(bounds, card.id)) : [];
}

/** `context` is the longest of the models that it chooses among: it passes over those for which a prompt is too long. */
function selectorView(selector: Selector, context: number | null, id = `Router#${selector}`) {
  return {
    id,
    object: "model",
    created: SELECTORS_CREATED,
    owned_by: "poundkey",
    description: SELECTOR_RULES[selector].about,
    context_window: context,
    context_length: context,
  };
}

/** Returns a group under the client's name for it. A request fits if it fits the smallest of its models. */
function groupView(id: string, members: readonly GroupMember[]) {
  const cards = members.map(({ card }) => card);
  return {
    id,
    object: "model",
    created: Math.max(...cards.map(({ created }) => created)),
    owned_by: "poundkey",
    description: `Shares the load among ${cards.map((card) => card.id).join(", ")}.`,
    context_window: findLeast(cards.map(({ contextTokensMax }) => contextTokensMax)),
    context_length: findLeast(cards.map(({ contextTokensMax }) => contextTokensMax)),
    max_output_tokens: findLeast(cards.map(({ outputTokensMax }) => outputTokensMax)),
  };
}

function findLongest(cards: readonly ModelCard[], rules: OfferedModels["rules"]): number | null {
  const known = listChoosable(cards, rules)
    .map(({ contextTokensMax }) => contextTokensMax)
    .filter((limit) => limit !== null);
  // A catalogue may have more models than a call takes arguments.
  return known.length === 0 ? null : known.reduce((longest, limit) => Math.max(longest, limit));
}

function findLeast(limits: readonly (number | null)[]): number | null {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Returns the id as the client meant it: SDKs percent-encode `#` and `/`. */
function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new Fault("model_not_found", "The model id in the URL is not valid percent-encoding.");
  }
}
