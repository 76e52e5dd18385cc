// The parts of a message as Converse's content blocks: text, images and documents, with their cache points.
import { Fault } from "../../core/faults/fault.ts";
import { asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { FilePart } from "../../operations/chat/form.ts";
import { parseDataUrl } from "../../operations/chat/prompt/data-url.ts";

/** A block's only key names its kind: `{text}` or `{image: {…}}`. */
export type Block = JsonObject;

const IMAGE_FORMATS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/png", "png"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);
/** By media type or file extension (Converse API reference, "DocumentBlock"). */
const DOCUMENT_FORMATS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["text/csv", "csv"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/html", "html"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
]);
const ENDINGS: ReadonlySet<string> = new Set([...DOCUMENT_FORMATS.values(), "json", "xml"]);
const TEXT_TYPE = /^(text\/.+|application\/(json|xml|x-yaml|yaml|javascript))$/;
/** Bedrock allows 200, but a number may be added to distinguish documents of the same name. */
const NAME_CHARACTERS_MAX = 190;

/** Adds a cache point after the blocks if their source is marked, by Anthropic's field or OpenAI's breakpoint. */
export function addPoint(blocks: readonly Block[], source: JsonObject): Block[] {
  const mark = source.cache_control ?? (source.prompt_cache_breakpoint ? {} : undefined);
  if (!isObject(mark) || blocks.length === 0) return [...blocks];
  const ttl = mark.ttl === "1h" ? { ttl: "1h" } : {};
  return [...blocks, { cachePoint: { type: "default", ...ttl } }];
}

export function makeImage(url: string, path: string): Block {
  const data = parseDataUrl(url);
  if (!data) {
    const message = "Amazon Bedrock does not fetch images: send them as data: URLs.";
    throw new Fault("unsupported_capability", message, { param: path });
  }
  const format = IMAGE_FORMATS.get(data.mediaType);
  if (format === undefined) throw explainType("images", data.mediaType, path);
  return { image: { format, source: { bytes: data.base64 } } };
}

export function makeDocument({ file }: FilePart, path: string, index: number): Block {
  const given = file.file_data;
  if (/^https?:/i.test(given)) {
    const message = "Amazon Bedrock does not fetch files: send them as 'file_data'.";
    throw new Fault("unsupported_capability", message, { param: path });
  }
  const data = parseDataUrl(given) ?? { mediaType: "", base64: given };
  const image = IMAGE_FORMATS.get(data.mediaType);
  if (image !== undefined) return { image: { format: image, source: { bytes: data.base64 } } };
  const format = findFormat(data.mediaType, file.filename);
  if (format === undefined) throw explainType("files", data.mediaType, path);
  return { document: { format, name: makeName(file.filename, index), source: { bytes: data.base64 } } };
}

/** Finds the format by media type, or else by the name's extension. A file without either is a PDF. */
function findFormat(mediaType: string, name = ""): string | undefined {
  const format = DOCUMENT_FORMATS.get(mediaType);
  if (format !== undefined && format !== "txt") return format;
  const ending = /\.([a-z]{2,4})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (ENDINGS.has(ending)) return [...DOCUMENT_FORMATS.values()].includes(ending) ? ending : "txt";
  if (mediaType === "" || mediaType === "application/octet-stream") return "pdf";
  return TEXT_TYPE.test(mediaType) ? "txt" : undefined;
}

/** A document's name may contain only letters, digits, single spaces, hyphens and brackets. */
function makeName(given: string | undefined, index: number): string {
  const base = (given ?? "").replace(/\.[a-z]{2,4}$/i, "");
  const plain = base.replace(/[^a-zA-Z0-9 ()[\]-]+/g, " ").replace(/\s+/g, " ");
  return plain.slice(0, NAME_CHARACTERS_MAX).trim() || `document ${index + 1}`;
}

function explainType(what: "files" | "images", mediaType: string, path: string): Fault {
  const message = `This model does not accept ${what} of type '${asString(mediaType)?.slice(0, 100)}'.`;
  return new Fault("unsupported_capability", message, { param: path });
}
