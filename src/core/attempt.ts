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

/** The names of one conversation, without the key that they belong to. */
export interface ConversationNames {
  /** Under which an earlier turn may be known. */
  readonly sought: readonly string[];
  /** Under which the next turn will look for this one. */
  readonly kept: readonly string[];
  /** About, of the prompt up to the model's last turn. */
  readonly heldTokens: number;
}
