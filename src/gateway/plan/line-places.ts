// The places to which a line of a batch may go: lines are started by the room that is there.
import type { LinePace } from "../../core/batches/line-pace.ts";
import { namePayer } from "../../core/keys/payer.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Credential } from "../../core/settings.ts";
import type { Health } from "../../health/health.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";
import type { Plan, Selection } from "./plan.ts";

/** Tells the line's batch where it may go. Fallbacks are for failures: lines that find no room wait instead. */
export function noteLinePlaces<F extends Form>(
  health: Health,
  { line, selection }: Pick<Call<F>, "line" | "selection">,
  credentialsOf: (card: ModelCard) => readonly Credential[],
): void {
  const paces: LinePace[] = [];
  for (const card of listNamed(selection))
    for (const credential of credentialsOf(card)) paces.push(health.findPace({ card, credential }));
  line?.placing.plan(paces);
}

/**
 * Lets a line wait that no model can take now, before it is admitted: so it is neither a try nor a row. Throws the fault by which
 * its batch knows for how long.
 */
export function refuseWaiting(
  health: Health,
  { line, key }: Pick<Call<Form>, "line" | "key">,
  { attempts, spares, load }: Pick<Plan, "attempts" | "spares" | "load">,
  nowMs: number,
): void {
  if (!line) return;
  const payer = namePayer(key);
  const all = [...attempts, ...spares];
  if (all.some((attempt) => health.isReady(attempt, nowMs, payer, load))) return;
  const fault = health.unavailable(all, nowMs, payer, load);
  if (line.waitsFor(fault)) throw fault;
}

/** A selector finds another model where one has no room. */
function listNamed(selection: Selection): readonly ModelCard[] {
  switch (selection.kind) {
    case "card":
      return [selection.card];
    case "group":
      return selection.members.map(({ card }) => card);
    case "selector":
      return [];
  }
}
