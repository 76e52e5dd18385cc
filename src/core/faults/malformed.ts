// The fault of an answer that can't be read.
import { Fault } from "./fault.ts";

/** The upstream's answer does not follow its dialect, or is incomplete. */
export function malformed(what: string): Fault {
  return new Fault("upstream_error", "The provider's answer was incomplete or malformed.", {
    cause: what,
  });
}
