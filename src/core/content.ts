// A request's prompt and answer as they are kept with `log.content`: sealed, apart from its row.
import { asString, isObject, type JsonObject, parseJson } from "./json.ts";

export interface LoggedContent {
  /** The request as it was asked, without the messages. */
  readonly request: JsonObject;
  readonly messages: readonly unknown[];
  /** The answer as far as it came; null: nothing, or it was too much. */
  readonly reply: JsonObject | null;
  /** A part of it was too much to be kept. */
  readonly truncated: boolean;
  /** The error that the client was given, in the provider's words too. */
  readonly message: string | null;
}

/** The use that a request's content is sealed for: in another row's place it can't be opened. */
export function makeContentUse({
  accountId,
  id,
}: {
  readonly accountId: string;
  readonly id: string;
}): string {
  return `content ${accountId} ${id}`;
}

/** From the text that was sealed; null when that is none. */
export function findContent(text: string): LoggedContent | null {
  const kept = parseJson(text);
  if (!isObject(kept) || !isObject(kept.request) || !Array.isArray(kept.messages)) return null;
  return {
    request: kept.request,
    messages: kept.messages,
    reply: isObject(kept.reply) ? kept.reply : null,
    truncated: kept.truncated === true,
    message: asString(kept.message) ?? null,
  };
}
