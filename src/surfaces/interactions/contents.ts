// The contents of steps as parts of chat messages.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import type { ContentPart } from "../../operations/chat/form.ts";
import { isSecureUrl } from "../../operations/chat/prompt/address.ts";
import { findSoundFormat } from "../../operations/sound-types.ts";
import { toStandardBase64 } from "../gemini/base64.ts";
import { makeDataPart, makeUrlPart } from "../gemini/media.ts";
import { explainShared, refuseField } from "../lane.ts";
import { refusePrefix } from "../places.ts";
import { CONTENTS } from "./known.ts";

/** A content, and its place in the client's request. */
export interface PlacedContent {
  readonly content: JsonObject;
  readonly path: string;
}

/** Lists the contents of a field: a list, one content alone, or a text. */
export function listContents(value: unknown, path: string): readonly PlacedContent[] {
  if (typeof value === "string") return [{ content: { type: "text", text: value }, path }];
  if (isObject(value)) return [{ content: value, path }];
  if (!Array.isArray(value))
    throw value === undefined ? missingParameter(path) : refuseType(path, "an array");
  return value.map((one, index) => {
    const place = `${path}[${index}]`;
    if (!isObject(one)) throw refuseType(place, "an object");
    return { content: one, path: place };
  });
}

export function refuseType(path: string, expected: string): Fault {
  return new Fault("invalid_type", `Invalid type for '${path}': expected ${expected}.`, { param: path });
}

/** Returns the type of a step or content. Throws a Fault if it has none. */
export function readType({ type, role }: JsonObject, path: string): string {
  if (role !== undefined && role !== null) {
    const message = `'${path}.role' belongs to the form before June 2026, which SDKs below 2.0 send. Update the SDK, or send 'input' as steps of the types 'user_input' and 'model_output'.`;
    throw new Fault("invalid_value", message, { param: `${path}.role` });
  }
  if (type === undefined || type === null) throw missingParameter(`${path}.type`);
  if (typeof type !== "string") throw refuseType(`${path}.type`, "a string");
  return type;
}

/** A type that nobody knows: leaving it out might change what is asked. */
export function refuseUnknownType(path: string, type: string): Fault {
  const name = type.replace(/[^\w.-]/g, "?").slice(0, 64);
  const message = `'${path}' has the type '${name}', which the gateway doesn't know.`;
  return new Fault("unsupported_capability", message, { param: `${path}.type` });
}

export function requireText(holder: JsonObject, field: string, path: string): string {
  const value = holder[field];
  if (value === undefined || value === null) throw missingParameter(`${path}.${field}`);
  if (typeof value !== "string") throw refuseType(`${path}.${field}`, "a string");
  return value;
}

/** Returns a content as a part. Throws a Fault for a type that isn't known. */
export function readContent({ content, path }: PlacedContent): ContentPart {
  const type = readType(content, path);
  const row = CONTENTS.get(type);
  if (row === undefined) throw refuseUnknownType(path, type);
  return row.isFile
    ? readFile(type, content, path)
    : { type: "text", text: requireText(content, "text", path) };
}

function readFile(type: string, content: JsonObject, path: string): ContentPart {
  const { data, uri } = content;
  if (uri !== undefined && uri !== null) return readAddress(type, content, path);
  if (data === undefined || data === null) throw missingParameter(`${path}.data`);
  const base64 = requireText(content, "data", path);
  refusePrefix(base64, `${path}.data`, "mime_type");
  const mediaType = requireText(content, "mime_type", path);
  // The type of a content counts: each kind of file has another place in a chat message.
  if (!fitsType(type, mediaType))
    throw invalidValue(`${path}.mime_type`, `expected one of the kind '${type}'`);
  if (type === "video")
    return { type: "video_url", video_url: { url: `data:${mediaType};base64,${toStandardBase64(base64)}` } };
  return makeDataPart(mediaType, base64, undefined);
}

/** A document may have any other type. */
function fitsType(type: string, mediaType: string): boolean {
  const isOf = (kind: string) => mediaType.toLowerCase().startsWith(`${kind}/`);
  return type === "document" ? !["image", "audio", "video"].some(isOf) : isOf(type);
}

/** An address goes on as it is. Only those on the public web name nothing of the provider's account. */
function readAddress(type: string, content: JsonObject, path: string): ContentPart {
  const url = requireText(content, "uri", path);
  if (!isSecureUrl(url)) {
    const reason = `${explainShared("A file")} Only https: URLs of other hosts may be named.`;
    throw refuseField(`${path}.uri`, reason);
  }
  const mediaType = asString(content.mime_type) ?? "";
  switch (type) {
    case "video":
      return { type: "video_url", video_url: { url } };
    case "image":
      return makeUrlPart(url, "image/*", undefined);
    case "audio":
      return makeUrlPart(url, mediaType, `sound.${findSoundFormat(mediaType || "audio/wav")}`);
    default:
      return makeUrlPart(url, "", undefined);
  }
}

/** True if a content quotes sources, which no chat message has a place for. */
export function hasAnnotations({ annotations }: JsonObject): boolean {
  return asArray(annotations).length > 0;
}
