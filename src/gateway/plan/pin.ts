// Requests that only one provider can serve, because it stores the answer that they continue, or has encrypted their history.

import { Fault } from "../../core/faults/fault.ts";
import type { Credential } from "../../core/settings.ts";
import type { Selection } from "./plan.ts";

export interface Pin {
  readonly provider: string;
  /** Null if any of the provider's will do. */
  readonly credential: Credential | null;
  /** The place of the history that the provider has encrypted. Missing if it stores the answer before. */
  readonly path?: string;
}

/** Removes other providers' models from the selection. Throws a Fault if the named model is one of them. */
export function pinSelection(selection: Selection, pin: Pin): Selection {
  const { provider } = pin;
  if (selection.kind === "selector") {
    const { candidates, among = Int32Array.from(candidates.keys()) } = selection;
    const own = among.filter((place) => candidates[place]?.provider === provider);
    if (own.length > 0) return { ...selection, among: own };
  } else if (selection.kind === "group") {
    const members = selection.members.filter(({ card }) => card.provider === provider);
    if (members.length > 0) return { ...selection, members, fallbacks: [] };
  } else if (selection.card.provider === provider) return { ...selection, fallbacks: [] };
  throw explainPin(pin);
}

function explainPin({ provider, path }: Pin): Fault {
  if (path !== undefined) {
    const sealed = `The history in '${path}' was encrypted by ${provider}, and nobody else can read it. Continue with one of that provider's models, or start again from the conversation itself.`;
    return new Fault("unsupported_capability", sealed, { param: path });
  }
  const message = `The response is stored at ${provider}. Continue it with one of that provider's models, or send the whole input.`;
  return new Fault("unsupported_parameter", message, { param: "previous_response_id" });
}
