// The refusal of a key's requests as long as something that it names isn't configured.
import { Fault } from "../core/faults/fault.ts";
import type { Step } from "../gateway/step.ts";

/** Nothing passes that the missing hook or rule would have seen. */
export function makeRefusal(what: string, name: string): Step {
  return {
    before() {
      throw new Fault("hook_unavailable", `The key's ${what} '${name}' is not configured.`);
    },
    around: () => null,
  };
}
