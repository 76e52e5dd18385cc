// A state file's changes before they are made, and the way to make them: on a store, or at a gateway.
import type { ChangeOutline, KeepSecret, PlanOutline } from "../../moving/state/draft.ts";

export interface ApplyHooks {
  readonly keep: KeepSecret;
  /** Called after each change. */
  readonly onChange: () => void;
}

/** The changes that were made. */
export interface ApplyResult {
  readonly changes: readonly ChangeOutline[];
  readonly removals: readonly ChangeOutline[];
  /** The reason for which it ended early. Null if all were made. */
  readonly error: unknown;
}

export interface PlannedState {
  readonly outline: PlanOutline;
  readonly warnings: readonly string[];
  /** Never throws: the changes before a failure have to be printed too. */
  readonly perform: (on: ApplyHooks) => Promise<ApplyResult>;
}
