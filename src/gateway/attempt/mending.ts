// A request that a provider has just refused, in another form for one more call.

import type { Attempt } from "../../core/attempt.ts";
import type { Fault } from "../../core/faults/fault.ts";
import { countAs, type ModelCard } from "../../core/models/card.ts";
import { isRefused, type Refusal } from "../../core/models/refusals.ts";
import { findRefusedField } from "../../core/models/refused-fields.ts";
import { isBetaWord } from "../../core/models/words/beta-refusal.ts";
import { isBodyRefusal, isFieldWord } from "../../core/models/words/body-refusals.ts";
import type { Log } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";
import type { PlanPorts } from "../plan/plan-request.ts";
import type { Route } from "../plan/routes.ts";
import type { AttemptRun } from "./attempt-run.ts";
import { canMend } from "./trial.ts";

/** The repeated call leaves out what the model has just refused. */
export interface MendedCall {
  readonly card: ModelCard;
  readonly refuses: readonly Refusal[];
}

type MendingPorts = Pick<PlanPorts, "health" | "deadlines"> & { readonly log: Log };

/**
 * The server has just said that it refuses something which can be said in another way: once that is known, this call can
 * be repeated, and later ones are right at first. A word that was known when the call was sent leads to no other call.
 * Returns what it has just learned if the call should be repeated, else null.
 */
export function mendOrder<F extends Form>(
  { health, deadlines, log }: MendingPorts,
  context: RequestContext<F>,
  run: AttemptRun<F>,
  { details }: Fault,
): MendedCall | null {
  if (details.refuses === undefined) return null;
  const { card, refuses } = run;
  const fresh = details.refuses.filter((word) => isFresh(run, word));
  const known = new Set([...(refuses ?? []), ...fresh]);
  if (fresh.length === 0 || !canMend(run, known)) return null;
  health.refusals.teach(context.refusals, card, known);
  health.refusals.learn(card, fresh, deadlines.nowMs(), context.refusals.payer, run.shape);
  log({ event: "refusal_learned", level: "info", model: card.id, refuses: fresh });
  for (const word of fresh) countMended(log, card, word);
  return { card, refuses: fresh };
}

/** A field that the call didn't have is no reason for the refusal. Orders of roles are learned together. */
function isFresh<F extends Form>(run: AttemptRun<F>, word: Refusal): boolean {
  const { card, refuses } = run;
  if (refuses?.has(word) || !isRefused(card, word, true)) return false;
  return !isBodyRefusal(word) || canMend(run, new Set([...(refuses ?? []), word]));
}

/** Fields known to no table count together, since their names are the clients', and so do betas. */
function countMended(log: Log, card: ModelCard, refusal: Refusal): void {
  const word = isFieldWord(refusal) ? "field" : isBetaWord(refusal) ? "beta" : refusal;
  log({ event: "request_mended", level: "debug", provider: card.provider, model: countAs(card), word });
}

/** The attempt has answered. If its call was a mended one, what was left out of it was the reason for the refusal. */
export function confirmMended<F extends Form>(
  { health, deadlines }: Pick<MendingPorts, "health" | "deadlines">,
  { attempt }: Pick<AttemptRun<F>, "attempt">,
  mended: MendedCall | null,
): void {
  if (mended?.card === attempt.card) health.refusals.confirm(mended.card, mended.refuses, deadlines.nowMs());
}

/** Counts the field that a provider refused, so that the next rule of its models is known before anybody reports it. */
export function recordRefusedField(
  { health, log }: Pick<MendingPorts, "health" | "log">,
  { card }: Attempt,
  { message, details }: Fault,
): void {
  const field = findRefusedField(message, details.param);
  if (field === null) return;
  const model = countAs(card);
  health.refusedFields.add(model, field);
  log({ event: "field_refused", level: "info", provider: card.provider, model, field });
}

/**
 * After a change of provider or credential, a conversation may contain thinking that only its maker accepts. Leaves it
 * out of the request for one more call. Returns false if the refusal had another reason.
 */
export function stripThinking<F extends Form>(
  context: RequestContext<F>,
  attempt: Attempt,
  fault: Fault,
): boolean {
  const { raw, ask } = context;
  const route = findAttemptRoute(context, attempt);
  if (route === null) return false;
  if (raw !== null && route.lane !== null) {
    const repaired = route.lane.repair?.(raw, fault) ?? null;
    if (repaired !== null) context.raw = repaired;
    return repaired !== null;
  }
  const repaired = route.codec.repair?.(ask, fault) ?? null;
  if (repaired !== null) context.ask = repaired;
  return repaired !== null;
}

function findAttemptRoute<F extends Form>(
  { call, ask, raw }: RequestContext<F>,
  { card }: Attempt,
): Route<F> | null {
  return call.routes.find(card, ask, raw);
}
