// The parts of a message as Anthropic's content blocks: text, images and documents, with their cache marks.

import { Fault } from "../../core/faults/fault.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { FilePart } from "../../operations/chat/form.ts";
import { parseDataUrl } from "../../operations/chat/prompt/data-url.ts";

/** One content block of the Messages API. */
export interface Block extends JsonObject {
  type: string;
}

const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const TEXT_TYPE = /^(text\/.+|application\/(json|xml|x-yaml|yaml|javascript))$/;
const PDF = "application/pdf";

/** Copies the source's cache mark to its block or tool: Anthropic's own field, or OpenAI's explicit breakpoint. */
export function addMark<B extends JsonObject>(block: B, source: JsonObject): B {
  const mark = source.cache_control ?? (source.prompt_cache_breakpoint ? { type: "ephemeral" } : undefined);
  return mark === undefined || mark === null ? block : { ...block, cache_control: mark };
}

export function makeTextBlock(text: string): Block {
  return { type: "text", text };
}

export function makeImageBlock(url: string, path: string): Block {
  const data = parseDataUrl(url);
  if (!data) return { type: "image", source: { type: "url", url } };
  return makeInlineBlock(data.mediaType, data.base64, path);
}

/** A chat request asks for a document's citations as Anthropic's own requests do. */
export function makeFileBlock(part: FilePart, path: string): Block {
  const block = makeDocumentBlock(part.file, path);
  const isCited = block.type === "document" && asObject(part.citations).enabled === true;
  return isCited ? { ...block, citations: { enabled: true } } : block;
}

function makeDocumentBlock(file: FilePart["file"], path: string): Block {
  const title = file.filename || undefined;
  const given = file.file_data;
  if (/^https?:/i.test(given)) return { type: "document", source: { type: "url", url: given }, title };
  const data = parseDataUrl(given) ?? { mediaType: guessType(file.filename), base64: given };
  const block = makeInlineBlock(data.mediaType, data.base64, path);
  return block.type === "document" ? { ...block, title } : block;
}

function guessType(name: string | undefined): string {
  return /\.(txt|md|csv|json|xml|html?)$/i.test(name ?? "") ? "text/plain" : PDF;
}

function makeInlineBlock(mediaType: string, base64: string, path: string): Block {
  const type = mediaType === "image/jpg" ? "image/jpeg" : mediaType;
  if (IMAGE_TYPES.has(type)) {
    return { type: "image", source: { type: "base64", media_type: type, data: base64 } };
  }
  if (type === PDF) {
    return { type: "document", source: { type: "base64", media_type: PDF, data: base64 } };
  }
  if (TEXT_TYPE.test(type)) {
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: readText(base64, path) },
    };
  }
  const message = `This model does not accept files of type '${type.slice(0, 100)}'.`;
  throw new Fault("unsupported_capability", message, { param: path });
}

function readText(base64: string, path: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(base64));
  } catch {
    throw new Fault("invalid_value", "The file's data is not base64.", { param: path });
  }
}
