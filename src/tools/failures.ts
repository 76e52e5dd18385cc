// The failures of a call to a tool server, each with the sentence that a model reads in its place.
import { Fault } from "../core/faults/fault.ts";
import type { FaultDetails } from "../core/faults/fault-details.ts";

/** Requests of a tool server to its client, none of which the gateway passes on. */
export const ASKED_BACK = {
  "elicitation/create": "input from the user (elicitation)",
  "sampling/createMessage": "an answer of a model (sampling)",
  "roots/list": "the client's folders (roots)",
  tasks: "the call to be run as a task",
} as const;

export type AskedBack = keyof typeof ASKED_BACK;

/** Not reached, or a 5xx. Sentences name no host. */
export function makeUnavailable(server: string, details: FaultDetails = {}): Fault {
  const message = `The tool server "${server}" could not be reached or failed. Try again later.`;
  return new Fault("tool_server_unavailable", message, details);
}

/** The tool has failed several times in a row and is not called at the moment. */
export function makeResting(server: string, tool: string, waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `"${tool}" of the tool server "${server}" has been failing and can be called again in ${seconds} s.`;
  return new Fault("tool_server_unavailable", message, { retryAfterMs: waitMs });
}

/** A call has waited for a place as long as it may. */
export function makeBusy(server: string): Fault {
  const message = `The tool server "${server}" has as many calls under way as it may have, of your account or in all. Try again.`;
  return new Fault("tool_server_busy", message);
}

/** Its 401 or 403, or no token. */
export function makeAuthRefusal(server: string, details: FaultDetails = {}): Fault {
  const message = `The tool server "${server}" refused the gateway's credential. Only the operator can change it.`;
  return new Fault("tool_server_auth", message, details);
}

/** The same where the client's own value was sent. */
export function makePassRefusal(server: string, header: string, details: FaultDetails = {}): Fault {
  const message = `The tool server "${server}" refused the credential of the request's header \`${header}\`.`;
  return new Fault("tool_server_auth", message, details);
}

export function makeCredentialMissing(server: string, header: string): Fault {
  const message = `The tool server "${server}" needs your own credential: send it in the header \`${header}\`.`;
  return new Fault("tool_credential_missing", message);
}

/** Neither JSON nor events, an answer cut off, a redirect. `reason` is for the operator. */
export function makeBrokenAnswer(server: string, reason: string): Fault {
  const message = `The tool server "${server}" gave no valid answer. The call may have been carried out.`;
  return new Fault("tool_server_error", message, { reason, upstream: { cause: reason } });
}

export function makeToolTimeout(server: string, timeoutMs: number): Fault {
  const message = `The tool server "${server}" did not answer within ${timeoutMs / 1000} s. The call may have been carried out.`;
  return new Fault("tool_timeout", message);
}

export function makeResultTooLarge(server: string, most: string): Fault {
  const message = `The result of the tool server "${server}" is larger than ${most}. The call was carried out.`;
  return new Fault("tool_result_too_large", message);
}

export function makeInputUnsupported(server: string, asked: AskedBack): Fault {
  const message = `The tool server "${server}" asks for ${ASKED_BACK[asked]}, which this gateway doesn't pass on.`;
  return new Fault("tool_input_unsupported", message);
}
