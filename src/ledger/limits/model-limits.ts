// Limits of a minute on the requests for some models: what is left of each, which cards they let in, and what a request takes.
import type { Admission, Offer } from "../../core/demand.ts";
import type { Fault } from "../../core/faults/fault.ts";
import type { LimitUse, Minute, ModelCount, TokenLoad } from "../../core/limits/limit.ts";
import { type ModelLimit, nameModelLimit } from "../../core/limits/model-limit.ts";
import { dropAliases, readAliasName, showModels } from "../../core/models/alias-entry.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { makeMinuteFault } from "./limit-faults.ts";
import type { LimitOwner } from "./limit-owners.ts";
import { addCount, findModelCount, findWait, sumCounts } from "./minute.ts";

type LimitedOwner = LimitOwner & { readonly modelLimits: readonly ModelLimit[] };

export function hasModelLimits(owner: LimitOwner): owner is LimitedOwner {
  return owner.modelLimits !== undefined;
}

/** True if a request for this model, which is asked of this card, counts in the limit. */
function isCounted({ models }: ModelLimit, card: string, modelAsked: string): boolean {
  return models.some((entry) => readAliasName(entry) === modelAsked) || matchesAny(dropAliases(models), card);
}

/** Returns the offers whose cards no limit keeps out, or the refusal if there are none. */
export function narrowByModels(
  owner: LimitOwner,
  minute: Minute,
  offers: readonly Offer[],
  demand: Admission,
): readonly Offer[] | Fault {
  if (!hasModelLimits(owner) || offers.length === 0) return offers;
  let refusal: Fault | null = null;
  const kept = offers.filter(({ card }) => {
    const fault = refuseCard(owner, minute, card, demand);
    refusal ??= fault;
    return fault === null;
  });
  return kept.length > 0 || refusal === null ? kept : refusal;
}

function refuseCard(owner: LimitedOwner, minute: Minute, card: string, demand: Admission): Fault | null {
  for (const limit of owner.modelLimits) {
    const fault = isCounted(limit, card, demand.modelAsked) ? refuse(owner, limit, minute, demand) : null;
    if (fault !== null) return fault;
  }
  return null;
}

function refuse(owner: LimitOwner, limit: ModelLimit, minute: Minute, demand: Admission): Fault | null {
  const { nowMs, load, limits } = demand;
  const count = findModelCount(minute, nameModelLimit(limit));
  for (const { counts, most, needed } of listNeeds(limit, load)) {
    const used = sumCounts(count[counts]);
    if (most > 0 && used + needed <= most) continue;
    const waitMs = most === 0 ? null : findWait(count[counts], minute, needed, most, nowMs);
    const models = showModels(limit.models);
    return makeMinuteFault(owner, { counts, limit: most, used, waitMs, nowMs, models }, limits);
  }
  return null;
}

interface Need {
  readonly counts: "requests" | "tokens";
  readonly most: number;
  readonly needed: number;
}

function listNeeds(limit: ModelLimit, load: TokenLoad | null): readonly Need[] {
  const { requestsPerMinute, tokensPerMinute } = limit;
  return [
    ...(requestsPerMinute === null
      ? []
      : [{ counts: "requests", most: requestsPerMinute, needed: 1 } as const]),
    ...(tokensPerMinute === null
      ? []
      : [{ counts: "tokens", most: tokensPerMinute, needed: countLoad(limit, load) } as const]),
  ];
}

/** A request never reserves more than the limit, so that alone in its minute it passes. */
function countLoad({ tokensPerMinute: most }: ModelLimit, load: TokenLoad | null): number {
  return most === null || load === null ? 0 : Math.min(most, load.prompt + load.output);
}

/** Returns what a request takes that goes to the first of these cards. Undefined for nothing. */
export function findModelUse(
  owner: LimitOwner,
  first: Offer | undefined,
  { modelAsked, load }: Pick<Admission, "modelAsked" | "load">,
): LimitUse["models"] {
  if (!hasModelLimits(owner) || first === undefined) return undefined;
  const counted = owner.modelLimits.filter((limit) => isCounted(limit, first.card, modelAsked));
  if (counted.length === 0) return undefined;
  return counted.map((limit) => ({ name: nameModelLimit(limit), tokens: countLoad(limit, load) }));
}

/** Counts in the running part what a request takes. */
export function takeModels(minute: Minute, taken: LimitUse["models"]): Minute["models"] {
  if (taken === undefined) return minute.models;
  return changeCounts(minute, taken, (count, tokens) => ({
    requests: addCount(count.requests, minute, minute.part, 1),
    tokens: addCount(count.tokens, minute, minute.part, tokens),
  }));
}

/** Counts what a request took in the end. `used` is null if it counts as never admitted. */
export function settleModels(
  minute: Minute,
  { models: taken }: Pick<LimitUse, "models">,
  part: number,
  used: number | "reserved" | null,
  isLate: boolean,
): Minute["models"] {
  if (taken === undefined) return minute.models;
  return changeCounts(minute, taken, (count, reserved) => {
    const held = isLate ? 0 : reserved;
    const tokens = (used === "reserved" ? reserved : (used ?? 0)) - held;
    return {
      requests: used === null ? addCount(count.requests, minute, part, -1) : count.requests,
      tokens: addCount(count.tokens, minute, tokens < 0 ? part : minute.part, tokens),
    };
  });
}

function changeCounts(
  minute: Minute,
  taken: NonNullable<LimitUse["models"]>,
  change: (count: ModelCount, tokens: number) => Pick<ModelCount, "requests" | "tokens">,
): readonly ModelCount[] {
  const others = (minute.models ?? []).filter(({ name }) => !taken.some((one) => one.name === name));
  const changed = taken.map(({ name, tokens }) => ({
    name,
    ...change(findModelCount(minute, name), tokens),
  }));
  return [...others, ...changed];
}
