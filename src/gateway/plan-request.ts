// Makes the plan of a request from what is currently known about the providers.

import { readProvider } from "../core/card.ts";
import type { Deadlines, Log, Random } from "../core/world.ts";
import type { Caches } from "../health/caches.ts";
import { type Deployment, sumOutcomes } from "../health/deployment.ts";
import type { Health } from "../health/health.ts";
import { estimateSpeed } from "../health/speed.ts";
import type { Conversation, Stickiness } from "../health/stickiness.ts";
import type { Form } from "../operations/form.ts";
import type { Learned } from "../selectors/learning/learned.ts";
import type { Call } from "./call.ts";
import { type Known, type Plan, planCalls } from "./plan.ts";
import { checkImageUrls, refuseUnable } from "./unable.ts";

export interface PlanPorts {
  readonly random: Random;
  readonly health: Health;
  readonly stickiness: Stickiness;
  readonly learned: Learned;
  readonly caches: Caches;
  readonly deadlines: Deadlines;
  readonly log: Log;
}

const ROLL_BYTES = 4;
const NONE: ReadonlySet<string> = new Set();
/** Used for models whose address can't be reached, or whose credentials are all at their limits. */
const UNREACHED = { firstTokenMs: null, tokensPerSecond: null, errorRate: 0, isOpen: true };
/** A prior: as if this many answers had been good. */
const OUTCOMES_BEFORE = 20;

/** Returns the plan of a request. Throws a Fault if no model can serve it. */
export function planRequest<F extends Form>(ports: PlanPorts, call: Call<F>): Plan {
  const { operation, ask, conversation, selection, pin, rules, quality, upstreams } = call;
  const takesImageUrls = checkImageUrls(call);
  const { health, stickiness, deadlines, random } = ports;
  const { choosing } = operation;
  const plan = planCalls({
    refuseUnable: (card) => refuseUnable(call, card, takesImageUrls),
    takesImageUrls,
    describe: choosing && (() => choosing.describe(ask)),
    selection,
    rules,
    quality,
    known: readKnown(ports, conversation),
    credentialsOf: (provider) =>
      pin ? [pin.credential] : (upstreams.get(provider)?.setup.credentials ?? []),
    roll: () => toRoll(random.bytes(ROLL_BYTES)),
    conversation,
    health,
    load: { requests: 1, tokens: health.ownLimits.tokens ? operation.estimateLoad(ask) : 0 },
    stickiness,
    nowMs: deadlines.nowMs(),
  });
  const usual = plan.decision?.instead_of ?? null;
  if (usual !== null)
    ports.log({
      ...{ event: "explored", level: "info", request_id: call.requestId },
      ...{ model: plan.decision?.choice ?? null, instead_of: usual },
    });
  return plan;
}

export type KnownPorts = Pick<PlanPorts, "health" | "learned" | "caches" | "stickiness" | "deadlines">;

/** The current facts, beyond the catalogue, that selectors use. */
export function readKnown(
  { health, learned, caches, stickiness, deadlines }: KnownPorts,
  conversation: Conversation,
): Known {
  const nowMs = deadlines.nowMs();
  const isAnyUnavailable = health.addresses.isAnyUnavailable(nowMs);
  const full = health.ownLimits.any ? health.findFull(nowMs) : NONE;
  const of = (id: string) => {
    if (isAnyUnavailable && health.isShut(readProvider(id), nowMs)) return UNREACHED;
    if (full.size > 0 && full.has(readProvider(id))) return UNREACHED;
    const card = health.card(id);
    if (!card) return null;
    const { firstTokenMs, tokensPerSecond } = estimateSpeed(card, nowMs);
    if (card.isWell(nowMs)) return { firstTokenMs, tokensPerSecond, errorRate: 0, isOpen: false };
    const deployments = [...card.deployments.values()];
    const isShut = deployments.every(({ breaker }) => breaker.isOpen);
    return {
      firstTokenMs,
      tokensPerSecond,
      // A model due for another try counts as healthy: without requests it could never recover.
      errorRate: isShut ? 0 : computeErrorRate(deployments, nowMs),
      isOpen: deployments.every((deployment) => deployment.waitMs(nowMs) !== 0),
    };
  };
  const cached = () => {
    const held = stickiness.findHolder(conversation, nowMs);
    return held && { cardId: held.cardId, tokens: caches.estimateTokens(held.cardId, held.tokens) };
  };
  return { health: { of }, learned, cached };
}

/**
 * A lower bound of the error rate, fading with time. Some failures are chance, about the square root of the number
 * counted, so a single one never drives out a good model.
 */
function computeErrorRate(deployments: readonly Deployment[], nowMs: number): number {
  const { good, bad } = sumOutcomes(deployments, nowMs);
  return Math.max(0, bad - Math.sqrt(bad)) / (good + bad + OUTCOMES_BEFORE);
}

function toRoll(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => (sum + byte) / 256, 0);
}
