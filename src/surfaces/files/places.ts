// The places of a request in which a file may be named by its id, for each family, and how its content stands there instead.
import { asObject, asString, isObject, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import type { Family } from "../../core/models/dialect.ts";

/** A file's content, to be put in the place of its id. */
export interface FileContent {
  readonly name: string;
  /** The media type. */
  readonly type: string;
  readonly base64: string;
}

interface FilePlaces {
  /** The fields that lead to the places. A tool's arguments and schema are not among them: they may look alike. */
  readonly fields: readonly string[];
  /** Returns the id that an object names. Null if the object is no place of a file. */
  find(node: JsonObject): string | null;
  /** Returns the object with the content instead of the id. */
  fill(node: JsonObject, file: FileContent): JsonObject;
}

const PLAIN_TEXT = "text/plain";

const makeDataUrl = ({ type, base64 }: FileContent) => `data:${type};base64,${base64}`;

const OPENAI: FilePlaces = {
  // An edit's pictures stand in `images`, `mask` and `markup`, as `{ file_id }`.
  fields: ["messages", "content", "images", "image", "mask", "markup"],
  // A message has a role, and is no place itself.
  find: ({ file, file_id, role }) => (role === undefined ? readId(asObject(file).file_id ?? file_id) : null),
  fill: (part, file) => {
    if (part.file === undefined) return { image_url: makeDataUrl(file) };
    const { file_id: _id, ...rest } = asObject(part.file);
    return { ...part, file: { filename: file.name, ...rest, file_data: makeDataUrl(file) } };
  },
};

const RESPONSES: FilePlaces = {
  fields: ["input", "content", "output"],
  find: ({ type, file_id: id }) => (type === "input_file" || type === "input_image" ? readId(id) : null),
  fill: ({ file_id: _id, ...part }, file) =>
    part.type === "input_image"
      ? { ...part, image_url: makeDataUrl(file) }
      : { filename: file.name, ...part, file_data: makeDataUrl(file) },
};

const ANTHROPIC: FilePlaces = {
  fields: ["messages", "content", "source", "system"],
  find: ({ source }) => (asObject(source).type === "file" ? readId(asObject(source).file_id) : null),
  fill: (block, { type, base64 }) => {
    const isText = block.type === "document" && type === PLAIN_TEXT;
    const data = isText ? Buffer.from(base64, "base64").toString("utf8") : base64;
    return { ...block, source: { type: isText ? "text" : "base64", media_type: type, data } };
  },
};

/** The contents of interactions that are files. */
const CONTENTS: ReadonlySet<unknown> = new Set(["image", "audio", "document", "video"]);

/** A resource of Google's API, or its address. */
const RESOURCE = /^(.*\/)?files\//;

/** Parts of generateContent, and contents of interactions. */
const GEMINI: FilePlaces = {
  fields: [
    "contents",
    "parts",
    "systemInstruction",
    "system_instruction",
    "input",
    "content",
    // In requests that count tokens.
    "generateContentRequest",
  ],
  find: ({ fileData, file_data, type, uri }) => {
    if (CONTENTS.has(type))
      return readId(RESOURCE.test(asString(uri) ?? "") ? String(uri).replace(RESOURCE, "") : "");
    const { fileUri, file_uri } = asObject(fileData ?? file_data);
    // The SDK names a file by its resource, `files/…`, or by its address.
    return readId(asString(fileUri ?? file_uri)?.replace(RESOURCE, ""));
  },
  fill: ({ fileData, file_data, uri, ...part }, { type, base64 }) => {
    if (uri !== undefined) return { mime_type: type, ...part, data: base64 };
    const { mimeType, mime_type } = asObject(fileData ?? file_data);
    return omitUndefined({ ...part, inlineData: { mimeType: mimeType ?? mime_type ?? type, data: base64 } });
  },
};

const PLACES: Readonly<Partial<Record<Family, FilePlaces>>> = {
  openai: OPENAI,
  responses: RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
};

function readId(id: unknown): string | null {
  return typeof id === "string" && id !== "" ? id : null;
}

export function hasFilePlaces(family: Family): boolean {
  return PLACES[family] !== undefined;
}

const NO_IDS: readonly string[] = [];

/** Returns the ids that stand in the places of the family, each once, up to this many. A body without any costs no object. */
export function listFileIds(family: Family, body: unknown, most: number): readonly string[] {
  const places = PLACES[family];
  const ids = places === undefined || !isObject(body) ? null : findWithin(body, places, most, null);
  return ids === null ? NO_IDS : [...ids];
}

/** Adds to the ids found so far, of which there are none until the first. The body's depth is bounded. */
function findIds(
  value: unknown,
  places: FilePlaces,
  most: number,
  found: Set<string> | null,
): Set<string> | null {
  if (Array.isArray(value)) {
    let ids = found;
    // By index: an iterator would be an object for each list.
    for (let at = 0; at < value.length; at++) ids = findIds(value[at], places, most, ids);
    return ids;
  }
  if (!isObject(value)) return found;
  const id = places.find(value);
  if (id === null) return findWithin(value, places, most, found);
  const ids = found ?? new Set();
  return ids.size < most ? ids.add(id) : ids;
}

function findWithin(
  node: JsonObject,
  places: FilePlaces,
  most: number,
  found: Set<string> | null,
): Set<string> | null {
  const { fields } = places;
  let ids = found;
  for (let at = 0; at < fields.length; at++) ids = findIds(node[fields[at] ?? ""], places, most, ids);
  return ids;
}

/** Returns the body with contents in the places of these ids. Other ids stay. */
export function fillFiles(family: Family, body: unknown, files: ReadonlyMap<string, FileContent>): unknown {
  const places = PLACES[family];
  return places === undefined || !isObject(body) ? body : fillWithin(body, places, files);
}

/** Returns the same value if nothing has changed. */
function fillPlaces(value: unknown, places: FilePlaces, files: ReadonlyMap<string, FileContent>): unknown {
  if (Array.isArray(value)) {
    const filled: readonly unknown[] = value.map((one) => fillPlaces(one, places, files));
    return filled.every((one, at) => one === value[at]) ? value : filled;
  }
  if (!isObject(value)) return value;
  const id = places.find(value);
  if (id === null) return fillWithin(value, places, files);
  const file = files.get(id);
  return file === undefined ? value : places.fill(value, file);
}

function fillWithin(
  given: JsonObject,
  places: FilePlaces,
  files: ReadonlyMap<string, FileContent>,
): JsonObject {
  let node = given;
  for (const field of places.fields) {
    const filled = fillPlaces(given[field], places, files);
    if (filled !== given[field]) node = { ...node, [field]: filled };
  }
  return node;
}
