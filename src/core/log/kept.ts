// Stored answers with their conversations, and how a request refers to them.
import type { JsonObject } from "../json/json.ts";
import type { GatewayKey } from "../keys/key.ts";
import type { NativeTexts } from "../text/texts.ts";
import type { KeptContent } from "./content.ts";

/**
 * The owner of the stored answers that a key sees. Those of a personal key belong to its member, in the account where
 * they were made. Those of a service key belong to the account, and only its service keys see them.
 */
export type KeptOwner = Pick<GatewayKey, "accountId" | "memberId">;

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

/** Reaches the texts of a request as it is kept. */
export type KeptTexts = Pick<NativeTexts, "mapRequest" | "dropThoughts">;

/** A request as it is kept with its answer. Its texts travel with it, as only surfaces know their forms. */
export interface KeptRequest {
  readonly body: JsonObject;
  readonly texts: KeptTexts;
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

export interface ResponseStore {
  /** Stores a response, and deletes the account's oldest ones beyond this many bytes. */
  add(response: StoredResponse, bytesMax: number): Promise<void>;
  /** Returns the owner's response, or null. */
  find(owner: KeptOwner, id: string): Promise<StoredResponse | null>;
  /** Returns the owner's latest response that contains the item, or null. */
  findByItem(owner: KeptOwner, itemId: string): Promise<StoredResponse | null>;
  /** Returns the logged token counts of one of the owner's answers and its prompt, or null. */
  countTokens(owner: KeptOwner, id: string): Promise<number | null>;
  /** Returns false if the owner had none. */
  remove(owner: KeptOwner, id: string): Promise<boolean>;
  /** Deletes all responses that a key has stored. */
  removeAll(accountId: string, keyId: string): Promise<void>;
  /** Deletes responses older than a time (Unix milliseconds), at most this many. Returns how many. */
  prune(beforeMs: number, rowsMax: number): Promise<number>;
}

/** A stored response of the Responses API with its conversation. `sealed` holds the response and its input. */
export interface StoredResponse extends KeptContent {
  /** The key that made it. */
  readonly keyId: string;
  /** The size of `sealed`, which counts towards the account's limit. */
  readonly bytes: number;
  /** The ids of the response's own items, as JSON. */
  readonly items: string;
}

export const REPLY_STATES = ["pending", "kept", "unavailable"] as const;
type ReplyState = (typeof REPLY_STATES)[number];

/** A stored answer for repeated requests with the same Idempotency-Key. */
export interface KeptReply {
  readonly accountId: string;
  /** Digest of the gateway key's id and the client's Idempotency-Key. */
  readonly id: string;
  readonly bodyDigest: string;
  /** The completion's id. */
  readonly requestId: string;
  readonly atMs: number;
  readonly state: ReplyState;
  /** The encrypted reply. Null if it is not stored. */
  readonly sealed: string | null;
}
