// One way to answer a request: a model and a credential for its provider.

import type { ModelCard } from "./models/card.ts";
import type { Credential } from "./settings.ts";

export interface Attempt {
  readonly card: ModelCard;
  readonly credential: Credential;
}

/** The card that probably has this many tokens of the prompt cached. */
export interface CachedPrefix {
  readonly cardId: string;
  readonly tokens: number;
}

/** The turns that show in themselves that their conversation goes on: all of them, or this one alone. */
export type GoingOnSign = "every turn" | "this turn";

/** Identifies a conversation within its key. */
export interface ConversationNames {
  /** The name an earlier turn may have been stored under. Null if this is the first one. */
  readonly sought: string | null;
  /** The name under which the next turn will look for this one. */
  readonly kept: readonly string[];
  /** The approximate length of the prompt up to the model's last turn. */
  readonly heldTokens: number;
}
