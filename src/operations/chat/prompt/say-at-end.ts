// The gateway's own words to a model. They stand at the end of the prompt: before the newest turn of the user's
// they would change the part that a provider has read already, for this request and back again for the next.
import type { ChatMessage, Content } from "../form.ts";
import { writeNote } from "./note.ts";

const GAP = "\n\n";

/** Joins the parts of what is said. Empty if nothing is. */
export function joinSaid(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(GAP);
}

/**
 * Returns the messages with a note at the end of the user's newest message, or in a message of its own if results of calls
 * are newer. The same list if nothing is said.
 */
export function sayAtEnd(messages: readonly ChatMessage[], said: string): readonly ChatMessage[] {
  if (said === "") return messages;
  const note = writeNote(said);
  const at = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  const newest = messages[at];
  if (newest?.role === "user")
    return messages.with(at, { ...newest, content: addText(newest.content, note) });
  return messages.toSpliced(at === -1 ? messages.length : at + 1, 0, { role: "user", content: note });
}

function addText(content: Content, text: string): Content {
  if (content === "") return text;
  return typeof content === "string" ? `${content}${GAP}${text}` : [...content, { type: "text", text }];
}
