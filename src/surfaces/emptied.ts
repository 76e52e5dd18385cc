// Messages of which a translation leaves nothing, because only a provider of the client's family reads their content.
import type { ChatMessage } from "../operations/chat/form.ts";
import { findNewest } from "../operations/chat/prompt/media.ts";
import type { FamilyNeed } from "../operations/operation.ts";

/** Many APIs refuse an empty message, and one less would join its neighbours. */
const LINE = "[content left out: this model can't read it]";

export class EmptiedMessages {
  /** The places of their contents. */
  readonly #paths = new Map<ChatMessage, string>();

  /** Returns a user's message with a line in the place of its content. */
  replace(path: string): ChatMessage {
    const message: ChatMessage = { role: "user", content: [{ type: "text", text: LINE }] };
    this.#paths.set(message, path);
    return message;
  }

  /** Returns what is asked, if it is among them. Undefined if something else of it is left. */
  findAsked(messages: readonly ChatMessage[]): FamilyNeed | undefined {
    if (this.#paths.size === 0) return undefined;
    const [from, to] = findNewest(messages);
    const asked = messages.slice(from, to).filter(({ role }) => role === "user");
    const paths = asked.map((message) => this.#paths.get(message));
    const path = paths.includes(undefined) ? undefined : paths.at(-1);
    return path === undefined ? undefined : { path, what: "asked" };
  }
}
