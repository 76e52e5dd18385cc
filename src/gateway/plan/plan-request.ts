// Makes the plan of a request from what is currently known about the providers.

import type { Attempt } from "../../core/attempt.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Credential } from "../../core/settings.ts";
import type { Deadlines, Log, Random, Vault } from "../../core/world/world.ts";
import type { Caches } from "../../health/caches.ts";
import type { Health } from "../../health/health.ts";
import type { Load } from "../../health/rate.ts";
import type { Conversation, Stickiness } from "../../health/stickiness.ts";
import type { LearningPort } from "../../learning/port.ts";
import type { Form } from "../../operations/form.ts";
import type { Wishes } from "../../selectors/ask.ts";
import type { CardTable } from "../../selectors/table.ts";
import type { Call } from "../call.ts";
import { makeCeiling } from "./ceiling.ts";
import type { CurrentFacts } from "./choose-model.ts";
import { noteLinePlaces, refuseWaiting } from "./line-places.ts";
import { type Ceiling, type Plan, planCalls } from "./plan.ts";
import type { Routes } from "./routes.ts";
import { nameTakers, readWishes, refuseUnable } from "./unable.ts";

export interface PlanPorts {
  readonly random: Random;
  readonly health: Health;
  readonly stickiness: Stickiness;
  /** Names the prices that answers are charged by. Missing if rows don't name them. */
  readonly priceBook?: { identify(card: ModelCard): string | undefined };
  /** Its digest orders conversations. Missing if models and credentials are drawn. */
  readonly vault?: Pick<Vault, "digest">;
  readonly learning: Pick<LearningPort, "known">;
  readonly caches: Caches;
  readonly deadlines: Deadlines;
  readonly log: Log;
}

const ROLL_BYTES = 4;
/** Used for models whose address can't be reached, or whose credentials are all at their limits. */
const UNREACHED = { firstTokenMs: null, tokensPerSecond: null, errorRate: 0, isOpen: true };

/** Returns the plan of a request. Throws a Fault if no model can serve it, with others that could. */
export function planRequest<F extends Form>(ports: PlanPorts, call: Call<F>): Plan {
  const wishes = readWishes(call);
  const ceiling = call.steering.maxCostUsd === null ? null : makeCeiling(call);
  try {
    const plan = planWith(ports, call, wishes, ceiling);
    if (call.line) refuseWaiting(ports.health, call, plan, ports.deadlines.nowMs());
    return call.isFirstOnly ? keepFirst(plan) : plan;
  } catch (thrown) {
    throw nameTakers(call, thrown, wishes, ceiling);
  }
}

/** Returns the plan without all models but its first. */
function keepFirst(plan: Plan): Plan {
  const first = (plan.attempts[0] ?? plan.spares[0])?.card;
  const isFirst = ({ card }: Attempt) => card === first;
  return { ...plan, attempts: plan.attempts.filter(isFirst), spares: plan.spares.filter(isFirst) };
}

const NONE: readonly never[] = [];
const ONE_CALL: Load = { requests: 1, tokens: 0 };

function planWith<F extends Form>(
  ports: PlanPorts,
  call: Call<F>,
  wishes: Wishes,
  ceiling: Ceiling | null,
): Plan {
  const { selection } = call;
  const load = measureCall(ports, call);
  // The usual case of one model and one credential leaves nothing to choose.
  if (selection.kind === "card" && selection.fallbacks.length === 0) {
    const { card } = selection;
    const attempts = call.pin ? null : call.routes.findOnly(card);
    if (attempts !== null) {
      refuseUnable(call, card, wishes);
      if (ceiling?.covers(card) === false) throw ceiling.findFault();
      return { attempts, spares: NONE, load, decision: null };
    }
  }
  return planAmong(ports, call, wishes, ceiling, load);
}

function measureCall<F extends Form>({ health }: PlanPorts, call: Call<F>): Load {
  const load = health.ownLimits.tokens ? estimateCall(call) : ONE_CALL;
  if (call.key.asksFor?.insists) return { ...load, insists: true };
  return call.line ? measureLine(health, call, load) : load;
}

function measureLine<F extends Form>(health: PlanPorts["health"], call: Call<F>, load: Load): Load {
  noteLinePlaces(health, call, ({ provider }) => listCredentials(call, provider));
  return { ...load, isLine: true };
}

function estimateCall<F extends Form>({ operation, ask }: Call<F>): Load {
  const { prompt, output } = operation.estimateLoad(ask);
  return { requests: 1, tokens: prompt + output };
}

/** The parts of a call that decide with which credentials it may be sent. */
export interface CredentialSource {
  readonly pin: Call<Form>["pin"];
  readonly routes: Pick<Routes<Form>, "upstreams">;
}

/** Returns the credentials of a provider, or the one that an operator has pinned. */
export function listCredentials({ pin, routes }: CredentialSource, provider: string): readonly Credential[] {
  return pin?.credential ? [pin.credential] : (routes.upstreams.get(provider)?.setup.credentials ?? NONE);
}

function planAmong<F extends Form>(
  ports: PlanPorts,
  call: Call<F>,
  wishes: Wishes,
  ceiling: Ceiling | null,
  load: Load,
): Plan {
  const { operation, ask, conversation, selection, rules, steering, markup } = call;
  const payer = namePayer(call.key);
  const { health, deadlines, random, vault } = ports;
  const { choosing } = operation;
  const plan = planCalls({
    refuseUnable: (card) => refuseUnable(call, card, wishes),
    wishes,
    describe: choosing && (() => choosing.describe(ask)),
    promptTokens: () => operation.estimatePrompt(ask),
    selection,
    rules,
    steering,
    markup,
    ceiling,
    readKnown: () => readKnown(ports, conversation, payer),
    credentialsOf: (provider) => listCredentials(call, provider),
    roll: () => toRoll(random.bytes(ROLL_BYTES)),
    conversation,
    health,
    payer,
    load: { ...load, keyId: conversation.keyId },
    digest: vault?.digest,
    nowMs: deadlines.nowMs(),
  });
  if (plan.decision) logExploration(ports.log, call.requestId, plan.decision);
  const [first] = plan.attempts;
  if (!plan.home || first === undefined) return plan;
  return { ...plan, coming: health.coming.expect(first, conversation.keyId, deadlines.nowMs()) };
}

/** Logs a choice of a model other than the usual one, made to learn about it. */
function logExploration(log: Log, requestId: string, decision: NonNullable<Plan["decision"]>): void {
  const usual = decision.instead_of ?? null;
  if (usual === null) return;
  log({
    event: "explored",
    level: "info",
    request_id: requestId,
    model: decision.choice ?? null,
    instead_of: usual,
  });
}

export type KnownPorts = Pick<PlanPorts, "health" | "learning" | "caches" | "stickiness" | "deadlines">;

/** The current facts, beyond the catalogue, that selectors use. */
export function readKnown(
  { health, learning, caches, stickiness, deadlines }: KnownPorts,
  conversation: Conversation,
  payer: string,
): CurrentFacts {
  const nowMs = deadlines.nowMs();
  const away = health.findAway(nowMs, payer);
  const over = ({ cards, places }: CardTable) => {
    const known = health.cards().listBy(places);
    const seenAt = (place: number) => known[place]?.outlook(nowMs, payer) ?? null;
    if (away.size === 0) return seenAt;
    return (place: number) => (away.has(cards[place]?.provider ?? "") ? UNREACHED : seenAt(place));
  };
  const heldBy = (cardId: string, tokens: number) => caches.estimateTokens(cardId, payer, tokens);
  const cached = () => {
    const held = stickiness.findHolder(conversation, nowMs);
    return held && { cardId: held.cardId, tokens: heldBy(held.cardId, held.tokens) };
  };
  return { health: { over }, learned: learning.known, cached, heldBy, payer };
}

function toRoll(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => (sum + byte) / 256, 0);
}
