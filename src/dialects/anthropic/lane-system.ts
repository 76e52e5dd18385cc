// System messages between the turns of a client's own Messages request, for models that refuse them there.
import { asArray, asObject, changeFields, isObject, type JsonObject } from "../../core/json/json.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { makeTextBlock } from "./content.ts";

/**
 * Returns the body with each as a marked text at the end of the user's turn in which or before which it stands, as in
 * translation. One that does more than say something is left as it is, for the API to refuse.
 */
export function placeNotes(body: JsonObject): JsonObject {
  const messages = asArray(body.messages);
  if (!messages.some(isSaid)) return body;
  const placed: unknown[] = [];
  let notes: JsonObject[] = [];
  for (const message of messages) {
    const last = placed.at(-1);
    if (isSaid(message)) {
      const said = listNotes(message);
      if (isUser(last)) placed[placed.length - 1] = addBlocks(asObject(last), said);
      else notes = [...notes, ...said];
    } else if (notes.length === 0) placed.push(message);
    else {
      if (isUser(message)) placed.push(addBlocks(asObject(message), notes));
      else placed.push({ role: "user", content: notes }, message);
      notes = [];
    }
  }
  if (notes.length > 0) placed.push({ role: "user", content: notes });
  return changeFields(body, { messages: placed });
}

function isUser(message: unknown): boolean {
  return asObject(message).role === "user";
}

function isSaid(message: unknown): boolean {
  const { role, content } = asObject(message);
  return role === "system" && listBlocks(content).every((block) => asObject(block).type === "text");
}

function listNotes(message: unknown): JsonObject[] {
  return listBlocks(asObject(message).content)
    .filter(isObject)
    .map((block) => ({ ...block, text: writeNote(String(block.text)) }));
}

function addBlocks(message: JsonObject, notes: readonly JsonObject[]): JsonObject {
  return { ...message, content: [...listBlocks(message.content), ...notes] };
}

function listBlocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [makeTextBlock(content)] : asArray(content);
}
