// A request's form (multipart/form-data), read with bounds: size, memory and pace as JSON has them, then its parts.
import { Attachment } from "../core/attachment.ts";
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import { type BodyPorts, type BodyRules, readHeld, readJson } from "./body.ts";
import { measureSeconds } from "./sound.ts";

const PARTS_MAX = 32;
const NAME_CHARACTERS_MAX = 64;
const FILENAME_CHARACTERS_MAX = 255;
const FORM = /^multipart\/form-data\s*(;|$)/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** The name may reach a provider's file system: no separators of paths, no control characters, no bare dots. */
const UNSAFE_FILENAME = /[\\/\p{Cc}]|^\.{1,2}$/u;

/** A request's body, and the length of the sound in it; null: it isn't asked for. */
export interface ReadBody {
  readonly body: unknown;
  readonly seconds: number | null;
}

/** Reads the body that a surface takes: JSON alone (undefined), that or a form, or a form with sound. */
export async function readBody(
  request: Request,
  ports: BodyPorts,
  rules: BodyRules,
  kind: "either" | "sound" | undefined,
): Promise<ReadBody> {
  const isForm = FORM.test(request.headers.get("content-type") ?? "");
  if (kind === "sound" && !isForm) {
    const message = "The request body must be a form: send the header Content-Type: multipart/form-data.";
    throw new Fault("unsupported_content_type", message);
  }
  if (kind === undefined || !isForm) return { body: await readJson(request, ports, rules), seconds: null };
  const body = await readForm(request, ports, rules);
  const { file } = body;
  return { body, seconds: file instanceof Attachment ? await measureSeconds(file) : null };
}

/**
 * The form's fields: texts, and files as attachments. A field whose name ends in `[]` is a list, under its name without
 * that. Throws the Fault of the first part that is wrong.
 */
function readForm(request: Request, ports: BodyPorts, rules: BodyRules): Promise<JsonObject> {
  const type = request.headers.get("content-type") ?? "";
  return readHeld(request, ports, rules, async (bytes) => {
    refuseManyParts(bytes, findBoundary(type));
    return readFields(await parse(bytes, type));
  });
}

function findBoundary(type: string): string {
  const found = BOUNDARY.exec(type);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary !== undefined) return boundary;
  throw new Fault("unsupported_content_type", "The header Content-Type names no boundary of the form.");
}

/** Before it is parsed: millions of empty parts would take seconds. */
function refuseManyParts(bytes: Uint8Array, boundary: string): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = `--${boundary}`;
  let count = 0;
  // The last mark ends the form.
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    if (++count > PARTS_MAX + 1) throw badForm(`it has more than ${PARTS_MAX} parts`);
  }
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw badForm("it is not valid multipart/form-data");
  }
}

async function readFields(form: FormData): Promise<JsonObject> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of form) {
    if (name === "" || name.length > NAME_CHARACTERS_MAX)
      throw badForm("a part has no name, or a very long one");
    const read = typeof value === "string" ? value : await readFile(name, value);
    const isList = name.endsWith("[]");
    const field = isList ? name.slice(0, -2) : name;
    const before = fields.get(field);
    if (isList && (before === undefined || Array.isArray(before)))
      fields.set(field, [...(before ?? []), read]);
    else if (before === undefined) fields.set(field, read);
    else throw new Fault("invalid_value", `Invalid '${name}': it is there twice.`, { param: name });
  }
  return Object.fromEntries(fields);
}

async function readFile(field: string, file: File): Promise<Attachment> {
  const { name, type } = file;
  if (name.length > FILENAME_CHARACTERS_MAX || UNSAFE_FILENAME.test(name)) {
    throw new Fault("invalid_value", `Invalid '${field}': the file's name is unsafe.`, { param: field });
  }
  return new Attachment(name === "" ? "file" : name, type, new Uint8Array(await file.arrayBuffer()));
}

function badForm(why: string): Fault {
  return new Fault("invalid_json", `We could not parse the form of your request: ${why}.`);
}
