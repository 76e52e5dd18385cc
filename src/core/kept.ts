// Stored answers with their conversations, and how a request refers to them.
import type { JsonObject } from "./json.ts";

/** The earlier answers that a request refers to. */
export interface Earlier {
  /** The previous answer. Null if the request names none. */
  readonly id: string | null;
  /** Individual items of earlier answers. */
  readonly itemIds: readonly string[];
}

/** A stored answer with its input. */
export interface KeptExchange {
  readonly id: string;
  readonly itemIds: readonly string[];
  readonly input: readonly unknown[];
  readonly response: JsonObject;
}

/** An answer stored by its provider, continued by the provider's own id. */
export interface StoredAnswer {
  readonly id: string;
  /** The tokens of the conversation so far, which are not part of the request's own text. */
  readonly tokens: number;
}

/** The stored answers that a request continues, as far as they were found. */
export interface EarlierAnswers {
  readonly previous: KeptExchange | null;
  readonly items: ReadonlyMap<string, JsonObject>;
}
