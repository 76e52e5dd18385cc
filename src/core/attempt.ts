// One way to answer a request: a model, and the credential to ask its provider with.
import type { ModelCard } from "./card.ts";
import type { Credential } from "./settings.ts";

export interface Attempt {
  readonly card: ModelCard;
  readonly credential: Credential;
}

/** The card that is likely to hold so many tokens of the prompt in its cache. */
export interface Cached {
  readonly cardId: string;
  readonly tokens: number;
}
