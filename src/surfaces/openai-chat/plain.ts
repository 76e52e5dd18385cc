// Plain requests, of simple fields and texts alone: they fit the schema, and checking one against it would take as long as
// all the rest of its reading.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { chatRequestSchema } from "./schema.ts";

type Fits = (value: unknown) => boolean;

/** The words of schemas of numbers and texts that `makeCheck` knows. */
const KNOWN_WORDS: ReadonlySet<string> = new Set(["type", "minimum", "maximum", "minLength", "description"]);

/** Returns the check of a simple field, or null for any other. */
function makeCheck(schema: TSchema): Fits | null {
  if (!Object.keys(schema).every((word) => KNOWN_WORDS.has(word))) return null;
  const {
    type,
    minimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
    minLength = 0,
  } = schema;
  switch (type) {
    case "boolean":
      return (value) => typeof value === "boolean";
    case "string":
      return (value) => typeof value === "string" && value.length >= minLength;
    case "integer":
      return (value) =>
        typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum;
    case "number":
      return (value) =>
        typeof value === "number" && Number.isFinite(value) && value >= minimum && value <= maximum;
    default:
      return null;
  }
}

const SIMPLE: ReadonlyMap<string, Fits> = new Map(
  Object.entries(chatRequestSchema.properties).flatMap(([field, schema]) => {
    const fits = makeCheck(schema);
    return fits === null ? [] : [[field, fits] as const];
  }),
);

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);

/** True if a request surely fits the schema. */
export function isPlainRequest(given: JsonObject): boolean {
  const { model, messages } = given;
  if (model === undefined || !Array.isArray(messages) || messages.length === 0) return false;
  for (const field in given)
    if (field !== "messages" && SIMPLE.get(field)?.(given[field]) !== true) return false;
  return areTexts(messages);
}

/** True if all messages are texts alone, of which nothing is read into another form. */
export function areTexts(messages: readonly unknown[]): boolean {
  for (const message of messages) if (!isText(message)) return false;
  return true;
}

function isText(message: unknown): boolean {
  if (!isObject(message)) return false;
  for (const field in message) if (field !== "role" && field !== "content") return false;
  return typeof message.content === "string" && ROLES.has(message.role);
}
