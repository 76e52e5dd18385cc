// Resolves a client's `model` for its key to a card, a selector with its candidates, or a Fault, and reads the headers by
// which a request steers that choice.
import type { Catalogue, UnknownModel } from "../../catalogue/catalogue.ts";
import { hasEnded } from "../../catalogue/dated.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type GatewayKey, isForSelectors, type ModelBounds, mayUse, openAlias } from "../../core/keys/key.ts";
import { MAX_COST_USD, MAX_MS, PATTERNS_MAX } from "../../core/models/alias.ts";
import { dropAliases, showModels } from "../../core/models/alias-entry.ts";
import type { GroupMember, ModelCard, OperationName } from "../../core/models/card.ts";
import { isSelector, SELECTORS, type Selector } from "../../core/models/selector.ts";
import { combineSteering, type Steering, UNSTEERED } from "../../core/models/steering.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { hideSecret } from "../../core/text/secret-form.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import { STANDARD_MODERATION } from "../../operations/moderation/form.ts";
import { SELECTOR_RULES } from "../../selectors/index.ts";
import { headerNumber } from "../serve/headers.ts";

const SHOWN_CHARACTERS_MAX = 64;
/** Names that selectors have elsewhere, and their own without the provider. */
const SELECTOR_NAMES = /^router([#/]|$)|^(best|fair|light|auto|default)$|^openrouter[#/]auto$/i;
/** OpenRouter's suffix for a model that searches the web. */
const SEARCH_SUFFIX = /:online$/i;
const SEARCHING = "A search of the web is asked for by 'web_search_options': {}.";
/** The most models or patterns to name in an error. */
const NAMED_MAX = 3;

/**
 * Throws the Faults `model_not_found` (with the nearest ids, else those for the operation) and `model_not_allowed` (with
 * the key's own models).
 */
export function readSelection(
  model: string,
  sender: GatewayKey,
  catalogue: Catalogue,
  operation: OperationName = "chat",
): Selection {
  const found = catalogue.resolve(model);
  const key = openNamed(model, sender, catalogue);
  switch (found.kind) {
    case "card":
      if (!mayUse(key, found.card.id)) throw notAllowed(model, found.card.id, key);
      return { kind: "card", card: found.card, fallbacks: listFallbacks(found.card, key, catalogue) };
    case "group":
      return selectGroup(model, found.members, key, catalogue);
    case "selector":
      if (!listSelectors(key).includes(found.selector))
        throw notAllowed(model, `Router#${found.selector}`, key);
      return {
        kind: "selector",
        selector: SELECTOR_RULES[found.selector],
        steering: found.steering,
        ...(found.cache ? { cache: found.cache } : {}),
        ...selectCandidates(key, catalogue.list()),
      };
    case "unknown": {
      const cards = listCandidates(key, catalogue);
      const standard =
        STANDARD_MODELS[operation] === model ? findServing(operation, model, cards) : undefined;
      if (standard !== undefined) return readSelection(standard.id, key, catalogue, operation);
      throw notFound(model, found, listServing(operation, cards));
    }
  }
}

/** Returns the bounds on what a client's `model` leads to. */
export function openNamed(model: string, key: GatewayKey, catalogue: Catalogue): GatewayKey {
  const isBound = key.allowedModels !== null || key.memberModels !== undefined;
  return isBound ? openAlias(key, model, catalogue.findAlias(model)) : key;
}

/** Models that clients needn't name in an operation. Without an alias of that name, any that serves it stands for it. */
const STANDARD_MODELS: Readonly<Partial<Record<OperationName, string>>> = { moderation: STANDARD_MODERATION };

function findServing(operation: OperationName, name: string, cards: readonly ModelCard[]) {
  const serving = cards.filter(({ operations }) => operations?.has(operation));
  return serving.find((card) => card.name === name) ?? serving[0];
}

function selectGroup(
  name: string,
  found: readonly GroupMember[],
  key: GatewayKey,
  catalogue: Catalogue,
): Selection {
  const members = listMembers(name, found, key);
  const fallbacks = members.flatMap(({ card }) => listFallbacks(card, key, catalogue));
  return { kind: "group", members, fallbacks };
}

/**
 * Returns what the request's model must keep to, by its alias and its headers, and the selection without the models of a
 * group and the fallbacks that don't. Throws the Fault `unsupported_capability` if none of these is left.
 */
export function steerSelection(selection: Selection, asked: Steering) {
  if (selection.kind === "selector")
    return { selection, steering: combineSteering(selection.steering ?? UNSTEERED, asked) };
  const { allow } = asked;
  return allow.length === 0 ? { selection, steering: asked } : keepAllowed(selection, asked);
}

function keepAllowed(selection: Exclude<Selection, { kind: "selector" }>, asked: Steering) {
  const { allow } = asked;
  const isAllowed = ({ id }: ModelCard) => allow.every((patterns) => matchesAny(patterns, id));
  const fallbacks = selection.fallbacks.filter(isAllowed);
  // The client has allowed the model that it names.
  if (selection.kind === "card") return { selection: { ...selection, fallbacks }, steering: asked };
  const members = selection.members.filter(({ card }) => isAllowed(card));
  if (members.length > 0) return { selection: { ...selection, members, fallbacks }, steering: asked };
  const message = "None of the models behind this name match the header 'x-poundkey-allow'.";
  throw new Fault("unsupported_capability", message, { param: "x-poundkey-allow" });
}

/** Returns the models of a group that the key may use. Throws the Fault `model_not_allowed` if there are none. */
function listMembers(name: string, members: readonly GroupMember[], key: GatewayKey): readonly GroupMember[] {
  const usable = members.filter(({ card }) => mayUse(key, card.id));
  if (usable.length === 0) throw notAllowed(name, members[0]?.card.id ?? "", key);
  return usable;
}

/** Returns the selectors that a key may use: all, unless its list of models, or its member's, names some, or only aliases. */
export function listSelectors({ allowedModels, memberModels }: ModelBounds): readonly Selector[] {
  const naming = [allowedModels ?? [], memberModels ?? []].filter(
    (models) => models.some(isSelector) || (models.length > 0 && dropAliases(models).length === 0),
  );
  if (naming.length === 0) return SELECTORS;
  return SELECTORS.filter((selector) => isWithin(naming, `Router#${selector}`));
}

/** Returns the cards that a key may use, by name or through a selector. A list of only selectors limits no cards. */
export function listCandidates(key: GatewayKey, catalogue: Catalogue): readonly ModelCard[] {
  const cards = catalogue.list();
  const bounds = listBounds(key);
  return bounds.length === 0 ? cards : cards.filter(({ id }) => isWithin(bounds, id));
}

type Candidates = Pick<Extract<Selection, { kind: "selector" }>, "candidates" | "among">;
type SelectedModels = readonly string[];

/** Returns the lists to which selectors are bound: one that names only selectors binds them to no model. */
function listBounds({ allowedModels, memberModels }: ModelBounds): readonly SelectedModels[] {
  return [allowedModels ?? [], memberModels ?? []].filter((models) => !isForSelectors(models));
}

function isWithin(bounds: readonly SelectedModels[], id: string): boolean {
  return bounds.every((allowedModels) => mayUse({ allowedModels }, id));
}

/** Keyed by the lists of models: both keys and cards are reused between requests. */
const allowed = new WeakMap<SelectedModels, WeakMap<SelectedModels, Candidates>>();

/** Returns the same list for all keys, with the places of the cards that this one may use if those aren't all. */
function selectCandidates(key: ModelBounds, candidates: readonly ModelCard[]): Candidates {
  const bounds = listBounds(key);
  const [first, second = first] = bounds;
  if (first === undefined || second === undefined) return { candidates };
  const ofFirst = allowed.getOrInsertComputed(first, () => new WeakMap());
  const known = ofFirst.get(second);
  if (known?.candidates === candidates) return known;
  const mayChoose = (place: number) => isWithin(bounds, candidates[place]?.id ?? "");
  const found = { candidates, among: Int32Array.from(candidates.keys()).filter(mayChoose) };
  ofFirst.set(second, found);
  return found;
}

const NO_CARDS: readonly ModelCard[] = [];

/** Returns the cards declared to be the same model elsewhere, if the key may also use them by name. */
function listFallbacks(card: ModelCard, key: GatewayKey, catalogue: Catalogue): readonly ModelCard[] {
  return card.fallbacks.length === 0 ? NO_CARDS : findFallbacks(card, key, catalogue);
}

function findFallbacks(card: ModelCard, key: GatewayKey, catalogue: Catalogue): readonly ModelCard[] {
  return card.fallbacks.flatMap((id) => {
    const found = catalogue.resolve(id);
    if (found.kind !== "card" || hasEnded(found.card) || found.card.pricedLike) return [];
    return mayUse(key, found.card.id) ? [found.card] : [];
  });
}

/** Names the model as the client does, and what that leads to here. */
function notAllowed(model: string, id: string, { allowedModels, memberModels = [] }: GatewayKey): Fault {
  const isOfKey = !mayUse({ allowedModels }, id);
  const names = showModels((isOfKey ? allowedModels : memberModels) ?? []).map((name) => `'${name}'`);
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  const meant = model === id ? "" : `, which is '${id}' here`;
  const message = `This key may not use the model '${showName(model)}'${meant}, only ${names.slice(0, NAMED_MAX).join(", ")}${more}: GET /v1/models lists them.`;
  return new Fault("model_not_allowed", message, { param: "model" });
}

/** Returns a hint at models for an operation, for a name that resembles none. */
function listServing(operation: OperationName, cards: readonly ModelCard[]): string {
  if (operation === "chat") return "'Router#best' chooses a model by itself.";
  const serving = cards.filter(({ operations }) => operations?.has(operation)).slice(0, NAMED_MAX);
  if (serving.length === 0) return `No model here serves ${operation}.`;
  return `Models for ${operation} are ${serving.map(({ id }) => `'${id}'`).join(", ")}.`;
}

/** Returns a name as errors may show it. Clients log errors, so a secret that was sent as a model's name is hidden. */
export function showName(model: string): string {
  return hideSecret(model, "...")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, SHOWN_CHARACTERS_MAX);
}

/** `otherwise` is a hint for a name that resembles none. */
export function notFound(
  model: string,
  { nearest, off, isPaused, lackedOn }: Omit<UnknownModel, "kind">,
  otherwise = "",
): Fault {
  const near = nearest.map((id) => `'${id}'`).join(" or ");
  const hints = SELECTOR_NAMES.test(model)
    ? [`The selectors are ${SELECTORS.map((name) => `'Router#${name}'`).join(", ")}.`]
    : [
        off === null ? "" : explainOff(off, isPaused),
        near === "" ? otherwise : `Did you mean ${near}?`,
        SEARCH_SUFFIX.test(model) ? SEARCHING : "",
        "Name models as <Provider>#<model>. GET /v1/models lists them.",
      ];
  const message = `The model '${showName(model)}' ${explainLack(lackedOn)} ${hints.filter(Boolean).join(" ")}`;
  return new Fault("model_not_found", message);
}

function explainOff(provider: string, isPaused = false): string {
  return isPaused
    ? `All keys for ${provider} are switched off here.`
    : `No key is configured here for ${provider}.`;
}

function explainLack(lackedOn: string | undefined): string {
  if (lackedOn === undefined) return "does not exist or is not available here.";
  return `isn't in this gateway's catalogue (prices of ${lackedOn}). If it is newer, the operator can add it: poundkey catalogue update, a watched list, or unlisted_models.`;
}

const STEERING_HEADERS = [
  "x-poundkey-quality",
  "x-poundkey-max-cost",
  "x-poundkey-max-ms",
  "x-poundkey-allow",
] as const;
const [QUALITY, COST, MS, ALLOW] = STEERING_HEADERS;
const PATTERN = /^[^\s,]{1,300}$/;

/** Throws the Fault `invalid_value` for a header that isn't valid. */
export function readSteering(headers: Headers): Steering {
  for (const name of STEERING_HEADERS) if (headers.has(name)) return readHeaders(headers);
  return UNSTEERED;
}

function readHeaders(headers: Headers): Steering {
  return {
    allow: readPatterns(headers.get(ALLOW)),
    deny: [],
    maxCostUsd: headerNumber(headers, COST, 0, MAX_COST_USD),
    maxMs: headerNumber(headers, MS, 1, MAX_MS),
    quality: headerNumber(headers, QUALITY, 0, 1),
  };
}

function readPatterns(given: string | null): Steering["allow"] {
  if (given === null) return [];
  const patterns = given.split(",").map((pattern) => pattern.trim());
  if (patterns.length <= PATTERNS_MAX && patterns.every((pattern) => PATTERN.test(pattern)))
    return [patterns];
  const message = `Invalid header '${ALLOW}': expected at most ${PATTERNS_MAX} model ids or patterns like OpenAI#*, separated by commas.`;
  throw new Fault("invalid_value", message, { param: ALLOW });
}
