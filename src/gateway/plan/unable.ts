// Finds out, before anything is held or sent, whether a model can take a request at all.

import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { UrlKind } from "../../operations/codec.ts";
import type { Form } from "../../operations/form.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import type { Wishes } from "../../selectors/ask.ts";
import type { Call } from "../call.ts";
import { keepAble } from "./group-order.ts";
import type { Ceiling } from "./plan.ts";

type CallAsk<F extends Form> = Pick<
  Call<F>,
  "operation" | "ask" | "raw" | "routes" | "isLimitRequired" | "nativeOnly"
>;

/** The most models to name in an error. */
const NAMED_MAX = 3;

const URL_KINDS: readonly UrlKind[] = ["image", "file"];

/** Finds what a model's provider can't fetch of the request. Undefined if there is nothing to fetch. */
function checkUrls<F extends Form>(call: CallAsk<F>): Wishes["findRefusedUrl"] {
  const { operation, ask } = call;
  for (const kind of URL_KINDS) if (operation.findUrl(ask, kind) !== null) return makeUrlCheck(call);
  return undefined;
}

function makeUrlCheck<F extends Form>(call: CallAsk<F>): NonNullable<Wishes["findRefusedUrl"]> {
  const { operation, ask } = call;
  const kinds = URL_KINDS.filter((kind) => operation.findUrl(ask, kind) !== null);
  return (card) => {
    const route = findCardRoute(call, card);
    return kinds.find((kind) => route?.codec.takesUrls?.(kind, card, ask) === false) ?? null;
  };
}

function findCardRoute<F extends Form>({ ask, raw, routes }: CallAsk<F>, card: ModelCard) {
  return routes.find(card, ask, raw);
}

function makeReads<F extends Form>(call: CallAsk<F>): NonNullable<Wishes["reads"]> {
  return (card) => (findCardRoute(call, card)?.lane ?? null) !== null;
}

function makeSearches<F extends Form>(call: CallAsk<F>): NonNullable<Wishes["searches"]> {
  return (card) => {
    const route = findCardRoute(call, card);
    return (route?.lane ?? route?.codec)?.searches?.(card, call.ask) === true;
  };
}

/** Any model can take all parts of most requests. */
const NO_WISHES: Wishes = { mustSearch: false, isLimitRequired: false };

/** The same for surfaces whose requests must name a limit. */
const LIMITED: Wishes = { mustSearch: false, isLimitRequired: true };

export function readWishes<F extends Form>(call: CallAsk<F>): Wishes {
  const search = call.operation.findSearch?.(call.ask) ?? null;
  const findRefusedUrl = checkUrls(call);
  const isBound = call.nativeOnly !== undefined && call.nativeOnly.what !== "code";
  const isPlain = search === null && findRefusedUrl === undefined && !isBound;
  if (isPlain) return call.isLimitRequired ? LIMITED : NO_WISHES;
  return {
    reads: isBound ? makeReads(call) : undefined,
    findRefusedUrl,
    searches: search === null ? undefined : makeSearches(call),
    mustSearch: search === "forced",
    isLimitRequired: call.isLimitRequired,
  };
}

/** Throws the Fault `unsupported_capability` if the model or its provider can't take the request. */
export function refuseUnable<F extends Form>(call: Call<F>, card: ModelCard, wishes: Wishes): void {
  const { operation, ask, raw, routes, selection } = call;
  if (routes.upstreams.has(card.provider)) routes.require(card, ask, raw);
  const isNamed = selection.kind === "card" && selection.card === card;
  operation.refuseUnable(ask, card, isNamed);
  if (call.nativeOnly && wishes.reads?.(card) === false) throw explainNeed(call.nativeOnly, card);
  if (call.nativeOnly?.what === "code" && isNamed && !makeReads(call)(card))
    throw explainNeed(call.nativeOnly, card);
  const url = wishes.findRefusedUrl?.(card) ?? null;
  if (url !== null) {
    const message = `The model '${card.id}' does not accept ${url} URLs: send ${url}s as data: URLs.`;
    throw new Fault("unsupported_capability", message, { param: operation.findUrl(ask, url) });
  }
  if (wishes.mustSearch && wishes.searches?.(card) !== true) {
    const message = `The model '${card.id}' can't search the web for this request, which demands it.`;
    throw new Fault("unsupported_capability", message, { param: "tool_choice" });
  }
}

function explainNeed({ path, what }: FamilyNeed, { id }: ModelCard): Fault {
  const reasons: Readonly<Record<FamilyNeed["what"], string>> = {
    code: `doesn't run the code for which '${path}' is, and no other tool is offered: offer a function of your own that runs it, or leave the tool out.`,
    asked: `can't read '${path}', and nothing else is asked.`,
    history: `can't read the history that is sealed in '${path}'.`,
    tool: `can't run the tool that '${path}' demands.`,
  };
  // Other models leave the tool out, so none of them is named.
  const code = what === "code" ? "unsupported_parameter" : "unsupported_capability";
  return new Fault(code, `The model '${id}' ${reasons[what]}`, { param: path });
}

/** Adds to the Fault of models that can't take a request which others can. Returns any other Fault unchanged. */
export function nameTakers<F extends Form>(
  call: Call<F>,
  fault: unknown,
  wishes: Wishes,
  ceiling: Ceiling | null,
): unknown {
  const isUnable = fault instanceof Fault && fault.code === "unsupported_capability";
  if (!isUnable || call.selection.kind === "selector") return fault;
  const takers = listTakers(call, wishes, ceiling).map((id) => `'${id}'`);
  const within = ceiling === null ? "" : " within its maximum cost";
  const hint =
    takers.length === 0
      ? `No model with a known price that this key may use accepts this request${within}.`
      : `Models that accept it: ${takers.join(", ")}.`;
  return new Fault(fault.code, `${fault.message} ${hint}`, fault.details);
}

/**
 * Returns a few models, of different providers, that could serve the request. Nobody knows what a model without a price
 * costs: selectors don't choose one, and clients that must pay can't use it.
 */
function listTakers<F extends Form>(
  call: Call<F>,
  wishes: Wishes,
  ceiling: Ceiling | null,
): readonly string[] {
  const { pin, routes, operation, ask } = call;
  const promptTokens = operation.estimatePrompt(ask);
  const isFit = (card: ModelCard) =>
    routes.upstreams.has(card.provider) &&
    (pin === null || card.provider === pin.provider) &&
    card.price !== null &&
    promptTokens < (card.contextTokensMax ?? Number.POSITIVE_INFINITY) &&
    keepAble([card], (one) => refuseUnable(call, one, wishes)).able.length > 0 &&
    ceiling?.covers(card) !== false;
  const takers = new Map<string, string>();
  for (const card of call.usable()) {
    if (!takers.has(card.provider) && isFit(card)) takers.set(card.provider, card.id);
    if (takers.size === NAMED_MAX) break;
  }
  return [...takers.values()];
}
