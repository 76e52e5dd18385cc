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
  find: ({ file, file_id }) => readId(asObject(file).file_id ?? file_id),
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

/** Returns the ids that stand in the places of the family, each once, up to this many. */
export function listFileIds(family: Family, body: unknown, most: number): readonly string[] {
  const places = PLACES[family];
  const ids = new Set<string>();
  if (places === undefined) return [];
  mapPlaces(body, places, (node, id) => {
    if (ids.size < most) ids.add(id);
    return node;
  });
  return [...ids];
}

/** Returns the body with contents in the places of these ids. Other ids stay. */
export function fillFiles(family: Family, body: unknown, files: ReadonlyMap<string, FileContent>): unknown {
  const places = PLACES[family];
  if (places === undefined) return body;
  return mapPlaces(body, places, (node, id) => {
    const file = files.get(id);
    return file === undefined ? node : places.fill(node, file);
  });
}

/** Returns the same value if nothing has changed. The body's depth is bounded. */
function mapPlaces(
  value: unknown,
  places: FilePlaces,
  change: (node: JsonObject, id: string) => JsonObject,
): unknown {
  if (Array.isArray(value)) {
    const mapped: readonly unknown[] = value.map((one) => mapPlaces(one, places, change));
    return mapped.every((one, at) => one === value[at]) ? value : mapped;
  }
  if (!isObject(value)) return value;
  const id = places.find(value);
  if (id !== null) return change(value, id);
  let node = value;
  for (const field of places.fields) {
    const mapped = mapPlaces(value[field], places, change);
    if (mapped !== value[field]) node = { ...node, [field]: mapped };
  }
  return node;
}
