// The plan of a request: an ordered list of attempts, which failover walks. Selection gives an order, not a choice.
import type { ModelCard } from "../core/card.ts";
import type { ChatRequest } from "../core/chat.ts";
import { Fault } from "../core/fault.ts";
import type { Selector } from "../core/selector.ts";
import type { Credential, RouterRules } from "../core/settings.ts";
import { needsOf, refuseUnable } from "./needs.ts";
import { ranked } from "./select.ts";

/** What the client's `model` means. */
export type Selection =
  | { readonly kind: "card"; readonly card: ModelCard; readonly fallbacks: readonly ModelCard[] }
  | { readonly kind: "selector"; readonly selector: Selector; readonly candidates: readonly ModelCard[] };

export interface Attempt {
  readonly card: ModelCard;
  readonly credential: Credential;
}

export interface PlanInput {
  readonly request: ChatRequest;
  readonly selection: Selection;
  readonly rules: RouterRules;
  /** The share of the best quality that the client asked `Router#fair` to keep, 0…1; null: the operator's. */
  readonly quality: number | null;
  /** The credentials of a provider that is on; none: it is off. */
  readonly credentialsOf: (provider: string) => readonly Credential[];
  /** A number from 0 up to 1, drawn anew at each call, that spreads load by the credentials' weights. */
  readonly roll: () => number;
}

const ATTEMPTS_MAX = 4;

/** At least one attempt. Throws a Fault when the model can't take the request or no provider is on. */
export function planOf(input: PlanInput): readonly Attempt[] {
  const attempts: Attempt[] = [];
  for (const card of cardsOf(input)) {
    const credentials = byWeight(input.credentialsOf(card.provider), input.roll);
    for (const credential of credentials) attempts.push({ card, credential });
  }
  if (attempts.length === 0) throw new Fault("no_provider_available", "No provider of this model is on.");
  return attempts.slice(0, ATTEMPTS_MAX);
}

function cardsOf({ request, selection, rules, quality }: PlanInput): readonly ModelCard[] {
  const needs = needsOf(request);
  if (selection.kind === "card") {
    refuseUnable(selection.card, needs);
    return [selection.card, ...selection.fallbacks];
  }
  const candidates = selection.candidates.filter(({ id }) => !rules.deny.includes(id));
  return ranked(selection.selector, candidates, request, needs, quality ?? rules.fairQuality);
}

/** Drawn without replacement, each time in proportion to weight. */
function byWeight(credentials: readonly Credential[], roll: () => number): readonly Credential[] {
  if (credentials.length < 2) return credentials;
  const left = [...credentials];
  const order: Credential[] = [];
  while (left.length > 0) {
    let mark = roll() * left.reduce((sum, { weight }) => sum + weight, 0);
    let at = 0;
    while (at < left.length - 1 && mark >= (left[at]?.weight ?? 0)) mark -= left[at++]?.weight ?? 0;
    order.push(...left.splice(at, 1));
  }
  return order;
}
