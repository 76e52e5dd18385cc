// Converts a form's fields, which are all text, to the types that JSON would have.

import { Fault } from "../core/faults/fault.ts";
import type { JsonObject } from "../core/json/json.ts";
import { missingParameter } from "../core/json/schema-fault.ts";
import { Attachment } from "../core/models/attachment.ts";

export type FieldTypes = Readonly<Record<string, "number" | "boolean">>;

/** Returns the fields with numbers and booleans converted. Others stay text, for the schema to refuse. */
export function convertFields(given: JsonObject, types: FieldTypes): JsonObject {
  const fields = { ...given };
  for (const [name, type] of Object.entries(types)) {
    const text = given[name];
    if (typeof text === "string") fields[name] = type === "number" ? readNumber(text) : readBoolean(text);
  }
  return fields;
}

function readNumber(text: string): unknown {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function readBoolean(text: string): unknown {
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : text;
}

/** Throws a Fault if a field isn't a file or the file is empty. */
export function requireFile(value: unknown, field: string): Attachment {
  if (value instanceof Attachment && value.bytes.length > 0) return value;
  if (value === undefined) throw missingParameter(field);
  const message = `Invalid '${field}': expected a non-empty file.`;
  throw new Fault("invalid_value", message, { param: field });
}
