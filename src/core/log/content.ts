// A request's prompt and answer as stored with `log.content`: encrypted, apart from the request's row.
import { isObject, type JsonObject, parseJson } from "../json/json.ts";

export interface LoggedContent {
  /** The request without its messages. */
  readonly request: JsonObject;
  readonly messages: readonly unknown[];
  /** The answer, possibly incomplete. Null if there was none or it was too large. */
  readonly reply: JsonObject | null;
  /** True if part of it was too large to store. */
  readonly truncated: boolean;
  /** The error shown to the client, in the provider's words if it has any. */
  readonly message: string | null;
}

/** Binds the encryption to one row: moved to another row, the content can't be decrypted. */
export function makeContentUse({ accountId, id }: Pick<KeptContent, "accountId" | "id">): string {
  return `content ${accountId} ${id}`;
}

/** Parses the decrypted text. Returns null if it is invalid. */
export function findContent(text: string): LoggedContent | null {
  const kept = parseJson(text);
  return isContent(kept) ? kept : null;
}

function isContent(value: unknown): value is LoggedContent {
  return isObject(value) && isObject(value.request) && Array.isArray(value.messages);
}

/** A request's prompt and answer, encrypted. */
export interface KeptContent {
  readonly accountId: string;
  readonly id: string;
  readonly atMs: number;
  readonly sealed: string;
}
