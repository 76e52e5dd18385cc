// Messages of which a translation leaves nothing, because only a provider of the client's family reads their content.
import type { ChatMessage } from "../operations/chat/form.ts";
import { findNewest } from "../operations/chat/prompt/media.ts";
import type { FamilyNeed } from "../operations/operation.ts";

/** Many APIs refuse an empty message, and one less would join its neighbours. */
const LINE = "[content left out: this model can't read it]";

/** The places of their contents, by message, so that they go with the prompt. */
const places = new WeakMap<ChatMessage, string>();

/** Returns a user's message with a line in the place of its content. */
export function replaceEmptied(path: string): ChatMessage {
  const message: ChatMessage = { role: "user", content: [{ type: "text", text: LINE }] };
  places.set(message, path);
  return message;
}

/** Returns what is asked, if all of it was replaced. Undefined if something else of it is left. */
export function findEmptied(messages: readonly ChatMessage[]): FamilyNeed | undefined {
  const [from, to] = findNewest(messages);
  let path: string | undefined;
  for (let at = from; at < to; at++) {
    const message = messages[at];
    if (message?.role !== "user") continue;
    path = places.get(message);
    if (path === undefined) return undefined;
  }
  return path === undefined ? undefined : { path, what: "asked" };
}
