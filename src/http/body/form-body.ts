// Reads a request's form (multipart/form-data) with JSON's bounds on size, memory and speed, then its parts.

import { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { Attachment } from "../../core/models/attachment.ts";
import {
  type ArrivedBody,
  type BodyPorts,
  decodeUtf8,
  type HeldRules,
  readHeld,
  readHeldJson,
} from "./body.ts";
import { badForm, type FormPart, readParts } from "./multipart.ts";

export const PARTS_MAX = 32;
const NAME_CHARACTERS_MAX = 64;
const FILENAME_CHARACTERS_MAX = 255;
const FORM = /^multipart\/form-data\s*(;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** The name may reach a provider's file system: no path separators, control characters, or bare dots. */
const UNSAFE_FILENAME = /[\\/\p{Cc}]|^\.{1,2}$/u;

/** Reads the body of a surface that accepts JSON or a form, or only a form. */
export async function readBody(
  request: Request,
  ports: BodyPorts,
  rules: HeldRules,
  kind: "either" | "form",
): Promise<unknown> {
  const isForm = FORM.test(request.headers.get("content-type") ?? "");
  if (kind === "form" && !isForm) throw notForm();
  return isForm ? readForm(request, ports, rules) : readHeldJson(request, ports, rules);
}

/**
 * Returns the form's fields: texts, and files as attachments. A field whose name ends in `[]` is a list, returned
 * without that suffix. Throws the Fault of the first invalid part.
 */
function readForm(request: Request, ports: BodyPorts, rules: HeldRules): Promise<JsonObject> {
  const type = request.headers.get("content-type") ?? "";
  const parse = ({ bytes }: ArrivedBody) => {
    rules.held.own(bytes);
    return readFields(bytes, findBoundary(type));
  };
  return readHeld(request, ports, rules, { checkType: () => {}, parse });
}

/** Throws the Fault `unsupported_content_type` for a type that isn't a form's or has no boundary. */
export function findBoundary(type: string): string {
  if (!FORM.test(type)) throw notForm();
  const match = BOUNDARY.exec(type);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary !== undefined) return boundary;
  throw new Fault("unsupported_content_type", "The Content-Type header has no boundary.");
}

function notForm(): Fault {
  const message = "The request body must be a form: send the header Content-Type: multipart/form-data.";
  return new Fault("unsupported_content_type", message);
}

/** Throws the Fault of the first invalid part. Parts are limited: a long list would block the loop for seconds. */
function readFields(bytes: Uint8Array<ArrayBuffer>, boundary: string): JsonObject {
  const fields = new Map<string, unknown>();
  let count = 0;
  for (const part of readParts(bytes, boundary)) {
    if (++count > PARTS_MAX) throw badForm(`it has more than ${PARTS_MAX} parts`);
    addPart(fields, part);
  }
  return Object.fromEntries(fields);
}

function addPart(fields: Map<string, unknown>, part: FormPart): void {
  const { name } = part;
  if (name === "" || name.length > NAME_CHARACTERS_MAX)
    throw badForm("a part has no name, or its name is too long");
  const value =
    part.filename === null
      ? decodeUtf8(part.bytes, (why) => invalidValue(name, why))
      : makeAttachment(part, part.filename);
  const isList = name.endsWith("[]");
  const field = isList ? name.slice(0, -2) : name;
  const before = fields.get(field);
  if (before === undefined) fields.set(field, isList ? [value] : value);
  else if (isList && Array.isArray(before)) before.push(value);
  else throw invalidValue(name, "it appears twice");
}

function makeAttachment({ name: field, type, bytes }: FormPart, name: string): Attachment {
  return new Attachment(readFilename(field, name), type, bytes);
}

/** Throws the Fault `invalid_value` of a name that no file system should see. */
export function readFilename(field: string, name: string): string {
  if (name.length > FILENAME_CHARACTERS_MAX || UNSAFE_FILENAME.test(name))
    throw invalidValue(field, "the file name is too long or has unsafe characters");
  return name === "" ? "file" : name;
}
