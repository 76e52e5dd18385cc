// The input of a stored response as OpenAI lists it: each item with an id, each message with its type and a list of parts.
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { writeText } from "./response.ts";

type NamedItem = JsonObject & { readonly id: string };

export function writeInputItems(input: readonly unknown[]): readonly NamedItem[] {
  return nameItems(input.map((item) => writeItem(asObject(item))));
}

/** Only messages have short forms: without a type, and with a text as their content. */
function writeItem(item: JsonObject): JsonObject {
  const { type = "message", role, content } = item;
  if (type !== "message" || role === undefined) return item;
  const isSaid = role === "assistant";
  const status = isSaid ? { status: "completed" } : {};
  return {
    type,
    ...status,
    ...item,
    content: typeof content === "string" ? [writePart(content, isSaid)] : content,
  };
}

function writePart(text: string, isSaid: boolean): JsonObject {
  return isSaid ? writeText(text, []) : { type: "input_text", text };
}

/**
 * Returns the items, each with an id that no other has: the client's own, or one of its index if that is missing, isn't a
 * text or is an earlier item's.
 */
function nameItems(input: readonly JsonObject[]): readonly NamedItem[] {
  const given = new Set(input.map((item) => item.id));
  const taken = new Set<string>();
  return input.map((item, index) => {
    const own = asString(item.id) ?? "";
    if (own !== "" && !taken.has(own)) {
      taken.add(own);
      return { ...item, id: own };
    }
    let id = `item_${index}`;
    while (given.has(id)) id += "_";
    return { ...item, id };
  });
}
