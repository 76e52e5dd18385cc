// What must become of a value at a position, by the action of the rule that finds it.
import { type Position, stepName } from "./positions-list.ts";
import type { Outcome } from "./positions-sent.ts";
import { makeValue } from "./positions-values.ts";

/** Thinking that its maker has signed, or which stands beside its encrypted form: rules that act leave it as it is. */
const SEALED = /^BetaThinkingBlockParam\.thinking$|^ResponseReasoningItem\./;

export const isSealed = ({ id }: Position): boolean => SEALED.test(id);

/** Returns what is wrong with the outcomes of a text's requests, as sentences. */
export function listFaults(position: Position, outcomes: readonly Outcome[]): readonly string[] {
  const way = position.path.map(stepName).join(".");
  return outcomes.flatMap((outcome) =>
    findFaults(position, outcome).map(
      (fault) => `${position.id} (${way}) on ${outcome.provider}, ${outcome.action}: ${fault}`,
    ),
  );
}

function findFaults(position: Position, outcome: Outcome): readonly string[] {
  const { action, sent, found, hidden, back, blocked } = outcome;
  if (action !== "report" && isSealed(position))
    return hidden.length > 0 || blocked !== null ? ["its maker's text is changed or refused"] : [];
  if (action === "report") {
    const missed = sent.filter((one) => !found.includes(one));
    return missed.map((one) => `the ${one} isn't found`);
  }
  const faults = sent.map((one) => `the ${one} is sent`);
  if (action === "refuse") return faults;
  if (blocked !== null) faults.push(`it is refused: ${blocked.reason}`);
  const { detectors } = makeValue(position);
  for (const one of back ?? []) {
    if (action === "mask" || !detectors.includes(one)) faults.push(`the client gets a ${one} from nowhere`);
  }
  if (action !== "swap" || back === null) return faults;
  const lost = detectors.filter((one) => hidden.includes(one) && !back.includes(one));
  return [...faults, ...lost.map((one) => `the client gets no ${one} back`)];
}
