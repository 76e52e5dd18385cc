// The texts in a tool's result: all strings but the protocol's own words, its pictures and sounds.
import type { JsonObject } from "../../core/json/json.ts";
import type { ChangeText, TextPlace } from "../../core/text/texts.ts";
import { isPlain, type JsonChange, mapFields, mapJson, mapList } from "../text-json.ts";

/** Fields of contents, resources and messages whose strings no model reads as text: words and base64. */
const WORDS: ReadonlySet<string> = new Set(["type", "role", "mimeType", "data", "blob", "resultType"]);
/** The server's own JSON, in which every name and string is a text. */
const OWN: ReadonlySet<string> = new Set(["structuredContent", "_meta"]);
/** Lists of contents, resources and messages, and what one of them holds. */
const HOLDERS: ReadonlySet<string> = new Set(["content", "contents", "messages", "resource", "annotations"]);

/** Returns the result with its texts changed, or the same one if none was. */
export function mapResult(result: JsonObject, change: ChangeText): JsonObject {
  return mapNode(result, makeJsonChange(change));
}

/** Returns a JSON value of the client's with its texts and names changed, or the same one. */
export function mapArguments(given: JsonObject, change: ChangeText): JsonObject {
  const own = makeJsonChange(change);
  return mapFields(given, (value, field) => mapJson(value, own, field), own.key);
}

function makeJsonChange(change: ChangeText): JsonChange {
  const ask = (kind: TextPlace["kind"], text: string, field?: string) => {
    const place = { kind, isSealed: false, isPiece: false, path: "" };
    return text === "" ? text : change(text, field === undefined ? place : { ...place, field });
  };
  return {
    text: (text, field) => ask("text", text, field),
    key: (key) => ask("key", key),
    integer: change.takesIntegers ? (digits, field) => ask("integer", digits, field) : undefined,
  };
}

function mapNode(node: JsonObject, change: JsonChange): JsonObject {
  return mapFields(node, (value, field) => {
    if (OWN.has(field) || !(HOLDERS.has(field) || typeof value === "string"))
      return mapJson(value, change, field);
    if (typeof value === "string") return WORDS.has(field) ? value : change.text(value);
    return mapHeld(value, change);
  });
}

function mapHeld(value: unknown, change: JsonChange): unknown {
  if (Array.isArray(value)) return mapList<unknown>(value, (one) => mapHeld(one, change));
  return isPlain(value) ? mapNode(value, change) : mapJson(value, change);
}
