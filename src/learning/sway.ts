// Finds the account without whose scores another model would be the best overall.
import type { ModelCard } from "../core/models/card.ts";
import { SKILLS } from "../core/models/skill.ts";
import { findProfile } from "../selectors/profiles.ts";
import { CAUTION, computeSpread, prepareQuality } from "../selectors/quality.ts";
import { clampMagnitude } from "./algebra.ts";
import type { Drifts } from "./drift.ts";
import { type Voices, weighVoices } from "./feedback.ts";
import type { Lifts, Posterior } from "./fitted.ts";
import { OWN_MAX } from "./tradeoff.ts";

/** An account whose scores alone decide which model is the best overall. */
export interface Sway {
  readonly accountId: string;
  readonly best: string;
  /** The model that would be best without its scores. */
  readonly otherwise: string;
}

interface LearnedFacts {
  readonly voices: Voices;
  readonly lifts: Lifts;
  readonly posterior: Posterior | null;
  readonly drifts: Drifts;
}

/** Only this many accounts are left out in turn, those that score the models in question most or furthest off. */
const ACCOUNTS_MAX = 20;

/** A request of no particular kind and of usual difficulty. */
const USUAL = prepareQuality({ skills: SKILLS.map(() => 1 / SKILLS.length), support: 1, difficultyLogit: 0 });

/** Returns the correction of a model's overall level by labels and by users' scores. */
export function liftLevel(posterior: Posterior | null, lifts: Lifts, model: string): number {
  const lift = clampMagnitude(lifts[model]?.lift ?? 0, OWN_MAX);
  return clampMagnitude((posterior?.fits.get(model)?.lift ?? 0) + lift, OWN_MAX);
}

/** Null if users' scores don't change the best model, or if no account alone does. */
export function* findSway(
  { voices, lifts, posterior, drifts }: LearnedFacts,
  cards: readonly ModelCard[],
): Generator<void, Sway | null> {
  const best = findBest(cards, posterior, lifts);
  const unscored = findBest(cards, posterior, {});
  if (best === null || unscored === null || best === unscored) return null;
  if (voices.onlyAccount !== null) return { accountId: voices.onlyAccount, best, otherwise: unscored };
  for (const accountId of listAccounts(voices, [best, unscored])) {
    yield;
    const otherwise = findBest(cards, posterior, yield* weighVoices(leaveOut(voices, accountId), drifts));
    if (otherwise !== null && otherwise !== best) return { accountId, best, otherwise };
  }
  return null;
}

/** Returns the accounts that score these models, those whose scores deviate most first. */
function listAccounts({ models }: Voices, named: readonly string[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const model of named)
    for (const [accountId, { residual }] of models.get(model) ?? [])
      sums.set(accountId, (sums.get(accountId) ?? 0) + Math.abs(residual));
  const ordered = [...sums].sort(([, a], [, b]) => b - a);
  return ordered.slice(0, ACCOUNTS_MAX).map(([accountId]) => accountId);
}

function leaveOut({ models }: Voices, accountId: string): Pick<Voices, "models"> {
  const others = [...models].map(([model, voices]) => {
    const rest = new Map(voices);
    rest.delete(accountId);
    return [model, rest] as const;
  });
  return { models: new Map(others.filter(([, rest]) => rest.size > 0)) };
}

/** Returns the model of the highest overall level for a usual request. Null if there are none. */
export function findBest(
  cards: readonly ModelCard[],
  posterior: Posterior | null,
  lifts: Lifts,
): string | null {
  let best: string | null = null;
  let highest = Number.NEGATIVE_INFINITY;
  for (const card of cards) {
    const { level, isGuessed, oddsSpreads } = findProfile(card);
    const doubt = posterior?.fits.get(card.id)?.doubt ?? 1;
    const off = isGuessed ? CAUTION * computeSpread(oddsSpreads, 0, doubt, USUAL, level) : 0;
    const lifted = level + liftLevel(posterior, lifts, card.id) - off;
    if (lifted < highest || (lifted === highest && best !== null && best < card.id)) continue;
    highest = lifted;
    best = card.id;
  }
  return best;
}
