// Answers that are kept with their conversation, and the names by which a request goes on from them.
import type { JsonObject } from "./json.ts";

/** The names of what a request goes on from. */
export interface Earlier {
  /** The answer before; null: the request names none. */
  readonly id: string | null;
  /** Single items of earlier answers. */
  readonly itemIds: readonly string[];
}

/** An answer that is kept with the input that it answers. */
export interface KeptExchange {
  readonly id: string;
  readonly itemIds: readonly string[];
  readonly input: readonly unknown[];
  readonly response: JsonObject;
}

/** An answer that its provider stores, which it goes on from by the provider's own id. */
export interface StoredAnswer {
  readonly id: string;
  /** The tokens of the conversation up to it: none of its text comes with the request. */
  readonly tokens: number;
}

/** The kept answers that a request goes on from, as far as they were found. */
export interface Keeping {
  readonly previous: KeptExchange | null;
  readonly items: ReadonlyMap<string, JsonObject>;
}
