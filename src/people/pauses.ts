// Pauses of personal keys that follow from the state of their person.
import { type GatewayKey, listPausers } from "../core/keys/key.ts";

export type PauseState = Pick<GatewayKey, "isPaused" | "pausedBy">;

/** Adds a reason of the person's own state. */
export function addPause(cause: "disabled" | "directory", before: PauseState): PauseState {
  const causes = listPausers(before);
  return { isPaused: true, pausedBy: causes.includes(cause) ? causes : [...causes, cause] };
}

/** Lifts that reason alone. */
export function liftPause(cause: "disabled" | "directory", before: PauseState): PauseState {
  const left = listPausers(before).filter((one) => one !== cause);
  return { isPaused: left.length > 0, pausedBy: left };
}
