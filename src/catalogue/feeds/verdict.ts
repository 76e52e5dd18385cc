// Verdicts on the changes that a list of prices proposes.
import type { ModelCard } from "../../core/models/card.ts";

/**
 * `taken` may be taken as it is, `waits` only if a person accepts it, and `refused` not at all, because it can't be right.
 * `not_an_end` is a date that isn't a last day. `older` is from before the built-in rows.
 */
export const VERDICTS = ["taken", "waits", "refused", "not_an_end", "older"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One thing that a list says of a model and the catalogue doesn't. */
export interface Proposal {
  readonly id: string;
  readonly field: "model" | "price" | "later_prices" | "shutdown" | "context" | "output";
  /** Null if unknown so far. */
  readonly before: string | null;
  readonly after: string;
  readonly verdict: Verdict;
  /** The verdict if it weren't older than the built-in rows. Set if it is. */
  readonly otherwise?: "taken" | "waits";
  /** The reason if it isn't taken, else null. */
  readonly reason: string | null;
  readonly moves: "rises" | "falls" | null;
  /** True if the catalogue doesn't have the model. */
  readonly isNew: boolean;
  /** The fields of the card that it sets. */
  readonly card: Partial<ModelCard>;
  /** The whole card of a new model. */
  readonly adds?: ModelCard;
}

/** Returns the proposal as one that is from before the built-in rows. A change that is never taken keeps its verdict. */
export function markOlder(proposal: Proposal, asOf: string): Proposal {
  const { verdict } = proposal;
  if (verdict !== "taken" && verdict !== "waits") return proposal;
  const reason = `it is of ${asOf}, before the built-in prices`;
  return { ...proposal, verdict: "older", otherwise: verdict, reason };
}

interface AcceptedKinds {
  /** Accepts what waits, too. */
  readonly yes: boolean;
  /** Accepts what is from before the built-in rows as if it weren't. */
  readonly older: boolean;
}

export function isAccepted(
  { verdict, otherwise }: Pick<Proposal, "verdict" | "otherwise">,
  { yes, older }: AcceptedKinds,
): boolean {
  const counts = older ? (otherwise ?? verdict) : verdict;
  return counts === "taken" || (yes && counts === "waits");
}

/** True if it waits for a person. */
export function isWaiting(
  { verdict, otherwise }: Pick<Proposal, "verdict" | "otherwise">,
  { older }: Pick<AcceptedKinds, "older">,
): boolean {
  return (older ? (otherwise ?? verdict) : verdict) === "waits";
}
