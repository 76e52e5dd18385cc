// The reported states of hooks: which fail for everybody, whether texts pass then or not.
import type { HookState } from "../core/models/hook.ts";
import type { StateReport } from "./state-events.ts";

/** A hook is down while its breaker is open for all. While a question tests it, it is neither down nor up. */
export function listHookStates({ name, state, reason }: HookState): readonly StateReport[] {
  if (state === "half_open") return [];
  const isDown = state === "open";
  return [
    {
      subject: `hook ${name}`,
      state: isDown ? "down" : "up",
      type: isDown ? "hook.down" : null,
      isNews: isDown,
      describe: () => ({ hook: name, name, reason }),
    },
  ];
}
