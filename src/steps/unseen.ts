// Finds the parts of a request that no hook can see: pictures, sounds and files, and texts that were sent as token ids.

import { asObject, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { Attachment } from "../core/models/attachment.ts";
import type { TextPlace } from "../core/text/texts.ts";

/** The types of parts and blocks that hold a picture, a sound, a video or a file. */
const TYPES: ReadonlySet<unknown> = new Set([
  "image_url",
  "input_audio",
  "file",
  "video_url",
  "audio_url",
  "input_video",
  "image",
  "document",
  "container_upload",
  "input_image",
  "input_file",
]);
const FIELDS: ReadonlySet<string> = new Set(["inlineData", "inline_data", "fileData", "file_data"]);
/** A data: URL of a text is a text that hooks see. */
const TEXT_DATA = /^data:(text\/|application\/(json|xml|yaml))/i;
const DATA = /^data:/i;

/** A call, or a request that is only tried. */
export interface UnseenRequest {
  readonly ask: object;
  readonly raw: { readonly body: JsonObject } | null;
  readonly operation: { readonly makes?: "pictures" | "sound" };
}

/** True if the request has a picture, sound or file, or if its answer has one and the hook stands there. */
export function hasAttachments({ ask, raw, operation }: UnseenRequest, isAtAnswer: boolean): boolean {
  if (isAtAnswer && operation.makes !== undefined) return true;
  return findWithin(ask, isAttached) || (raw !== null && findWithin(raw.body, isAttached));
}

function isAttached(value: unknown, field: string): boolean {
  if (value instanceof Attachment) return true;
  if (typeof value === "string") return DATA.test(value) && !TEXT_DATA.test(value);
  if (!isObject(value)) return false;
  if (FIELDS.has(field)) return !isText(value);
  return TYPES.has(value.type) && !isText(asObject(value.source)) && !isText(value) && !isTextFile(value);
}

function isText({ type, media_type, mimeType, mime_type }: JsonObject): boolean {
  const mediaType = asString(media_type ?? mimeType ?? mime_type) ?? "";
  return type === "text" || type === "content" || TEXT_DATA.test(`data:${mediaType}`);
}

function isTextFile({ file, file_data: own }: JsonObject): boolean {
  return TEXT_DATA.test(asString(own ?? asObject(file).file_data) ?? "");
}

/** The inputs of embeddings and of completions. */
const INPUTS = ["inputs", "prompts"] as const;

/** True if a text was sent as token ids. */
export function hasTokens({ ask }: { readonly ask: object }): boolean {
  return INPUTS.some((field) => {
    const inputs: unknown = Reflect.get(ask, field);
    return Array.isArray(inputs) && inputs.some(isTokens);
  });
}

function isTokens(input: unknown): boolean {
  return typeof input === "number" || (Array.isArray(input) && input.some((one) => typeof one === "number"));
}

/** Searches without recursion, since clients choose the depth. */
function findWithin(root: unknown, isWanted: (value: unknown, field: string) => boolean): boolean {
  const waiting: (readonly [unknown, string])[] = [[root, ""]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, name] = next;
    if (isWanted(value, name)) return true;
    if (Array.isArray(value)) for (const one of value) waiting.push([one, name]);
    else if (isObject(value) && !(value instanceof Uint8Array))
      for (const field in value) waiting.push([value[field], field]);
  }
  return false;
}

const NAME_PATH =
  /(^|[.\]])(tools|tool_calls|functionDeclarations|function_declarations|functionCall|function_call|functionResponse|tool_choice|content|input|parts)\b.*\.name$/;

/** Names that no call repeats: of the form of an answer, and of skills. */
const OTHER_NAME_PATH = /(\bformat|\bskills\[\d+\])\.name$/;

type UnseenPlace = Pick<TextPlace, "kind" | "path">;

/** True for a name that providers take in a few characters alone. */
export function isName({ kind, path }: UnseenPlace): boolean {
  return kind === "text" && NAME_PATH.test(path);
}

/** True for the name of a tool, by which its caller knows it. */
export function isToolName(place: UnseenPlace): boolean {
  return isName(place) && !OTHER_NAME_PATH.test(place.path);
}
