// Requests that only one credential can serve, because its provider stores the answer that they continue.

import { Fault } from "../../core/fault.ts";
import type { Credential } from "../../core/settings.ts";
import type { Selection } from "./plan.ts";

export interface Pin {
  readonly provider: string;
  readonly credential: Credential;
}

/** Removes other providers' models from the selection. Throws a Fault if the named model is one of them. */
export function pinSelection(selection: Selection, { provider }: Pin): Selection {
  if (selection.kind === "selector") {
    const { candidates, among = Int32Array.from(candidates.keys()) } = selection;
    const own = among.filter((place) => candidates[place]?.provider === provider);
    if (own.length > 0) return { ...selection, among: own };
  } else if (selection.kind === "group") {
    const members = selection.members.filter(({ card }) => card.provider === provider);
    if (members.length > 0) return { ...selection, members, fallbacks: [] };
  } else if (selection.card.provider === provider) return { ...selection, fallbacks: [] };
  const message = `The response is stored at ${provider}. Continue it with one of that provider's models, or send the whole input.`;
  throw new Fault("unsupported_parameter", message, { param: "previous_response_id" });
}
