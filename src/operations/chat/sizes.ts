// Measures a chat request's parts by kind, from which its tokens are estimated.
import { ElementWork } from "../../core/json/growing.ts";
import { asObject, asString, isObject } from "../../core/json/json.ts";
import { SHORT_CHARACTERS, scanLetters } from "../../core/json/text-scan.ts";
import { remember } from "../../core/world/remember.ts";
import type { ChatMessage, ChatRequest } from "./form.ts";

const BYTES_PER_BASE64 = 0.75;
/** Quotes, colons, commas and brackets around each JSON entry. */
const QUOTING_BYTES = 4;

export const MEDIA_KINDS = ["image", "wav", "audio", "video", "document"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

function makeNone() {
  return { pieces: 0, bytes: 0 };
}

/** The sizes of a request's parts by kind. */
export class Sizes {
  /** Short texts that are not counted yet: all at once, they take a third of the time. */
  readonly uncounted: string[] = [];
  textBytes = 0;
  /** The bytes of text that may each be a token. */
  denseBytes = 0;
  sealedBytes = 0;
  messages = 0;
  tools = 0;
  readonly media = {
    image: makeNone(),
    wav: makeNone(),
    audio: makeNone(),
    video: makeNone(),
    document: makeNone(),
  };
  remoteFiles = 0;
}

/** Fields that no model reads. All others count, known or not, because servers put their own fields into the prompt. */
export const NOT_READ: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "metadata",
  "user",
  "logit_bias",
  "stop",
  "stream_options",
  "tool_choice",
  "reasoning_effort",
  "modalities",
  "service_tier",
  "verbosity",
]);

/** Text is what every model answers with. */
export function hasFormat({ response_format: format }: ChatRequest): boolean {
  return format !== undefined && format.type !== "text";
}

const forgotten = new WeakMap<readonly ChatMessage[], Sizes>();

/** Empties the messages. Their sizes are remembered, so that the prompt is estimated as before. */
export function emptyMessages(messages: readonly ChatMessage[]): void {
  forgotten.set(messages, measureMessages(messages));
  if (Array.isArray(messages)) messages.length = 0;
}

function measureMessages(messages: readonly ChatMessage[]): Sizes {
  const known = messages.length === 0 ? forgotten.get(messages) : undefined;
  if (known) return Object.assign(new Sizes(), structuredClone(known));
  const sizes = new Sizes();
  const each = MEASURED.listResults(messages, measureMessage);
  if (each === null) for (const message of messages) addMessage(sizes, message);
  else for (const one of each) addSizes(sizes, one);
  sizes.messages = messages.length;
  countTexts(sizes);
  return sizes;
}

const MEASURED = new ElementWork<Sizes>();

function measureMessage(message: ChatMessage): Sizes {
  const sizes = new Sizes();
  addMessage(sizes, message);
  countTexts(sizes);
  return sizes;
}

function addSizes(sizes: Sizes, one: Readonly<Sizes>): void {
  sizes.textBytes += one.textBytes;
  sizes.denseBytes += one.denseBytes;
  sizes.sealedBytes += one.sealedBytes;
  sizes.remoteFiles += one.remoteFiles;
  for (const kind of MEDIA_KINDS) {
    sizes.media[kind].pieces += one.media[kind].pieces;
    sizes.media[kind].bytes += one.media[kind].bytes;
  }
}

/** By the request: the hold, limits of tokens and an answer without a report all ask for it. */
export const measureSizes: (request: ChatRequest) => Readonly<Sizes> = remember(measureRequest);

function measureRequest(request: ChatRequest): Sizes {
  const sizes = measureMessages(request.messages);
  sizes.tools = request.tools?.length ?? 0;
  for (const field in request) {
    const value = request[field];
    const isSetting = typeof value === "number" || typeof value === "boolean" || value === undefined;
    if (isSetting || NOT_READ.has(field) || (field === "response_format" && !hasFormat(request))) continue;
    if (typeof value === "object" && value !== null) addShared(sizes, value);
    else addJson(sizes, value);
  }
  countTexts(sizes);
  return sizes;
}

/** The sizes of a field that isn't messages: requests may share their tools. */
const measureShared = remember(measureValue);

function addShared(sizes: Sizes, value: object): void {
  const { textBytes, denseBytes } = measureShared(value);
  sizes.textBytes += textBytes;
  sizes.denseBytes += denseBytes;
}

function measureValue(value: object): Sizes {
  const sizes = new Sizes();
  addJson(sizes, value);
  countTexts(sizes);
  return sizes;
}

/** Message fields with earlier thinking. Elsewhere the same names are text that the model reads. */
const SEALED_FIELDS = new Set(["reasoning_details", "tool_calls", "extra_content"]);

function addMessage(sizes: Sizes, message: ChatMessage): void {
  for (const field in message) {
    const value = message[field];
    if (field === "role" || field === "parts") continue;
    if (field === "content" && Array.isArray(value)) for (const part of value) addPart(sizes, part);
    else addJson(sizes, value, SEALED_FIELDS.has(field));
  }
}

function addText(sizes: Sizes, text: string): void {
  if (text.length > SHORT_CHARACTERS) countText(sizes, text);
  else sizes.uncounted.push(text);
}

function countTexts(sizes: Sizes): void {
  if (sizes.uncounted.length === 0) return;
  countText(sizes, sizes.uncounted.join(""));
  sizes.uncounted.length = 0;
}

function countText(sizes: Sizes, text: string): void {
  const scanned = text.length > SHORT_CHARACTERS ? scanLetters(text) : null;
  sizes.textBytes += scanned?.bytes ?? Buffer.byteLength(text);
  sizes.denseBytes += scanned?.dense ?? countDenseBytes(text);
}

/** Measures a value as JSON: names, strings and the punctuation around them. */
function addJson(sizes: Sizes, value: unknown, mayBeSealed = false): void {
  if (typeof value === "string") {
    addText(sizes, value);
  } else if (Array.isArray(value)) {
    // An empty entry still takes a token.
    sizes.textBytes += QUOTING_BYTES * (value.length + 1);
    for (const one of value) addJson(sizes, one, mayBeSealed);
  } else if (isObject(value)) {
    for (const name in value) {
      const held = value[name];
      addText(sizes, name);
      sizes.textBytes += QUOTING_BYTES;
      if (typeof held === "string" && mayBeSealed && isSealed(value, name)) sizes.sealedBytes += held.length;
      else addJson(sizes, held, mayBeSealed);
    }
  } else {
    addText(sizes, String(value));
  }
}

/** Matches signatures of Gemini and Anthropic, and encrypted thinking: base64 that only its maker can read. */
function isSealed(holder: Readonly<Record<string, unknown>>, name: string): boolean {
  if (name === "data") return holder.type === "reasoning.encrypted";
  return name === "thought_signature" || (name === "signature" && holder.type === "reasoning.text");
}

/**
 * Counts the bytes that may each be a token: digits, which half of the tokenizers keep separate, and letters of rare
 * scripts (from Tibetan to Mongolian: Burmese, Georgian, Ethiopic, Khmer), of which older ones know only the 3 bytes
 * each.
 */
export function countDenseBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) bytes += 1;
    else if (code >= 0x0f00 && code <= 0x1dff) bytes += 3;
  }
  return bytes;
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const DATA_URL = /^data:([^;,]*)([^,]*),/i;
/** The beginning of a URL that is searched for its media type. */
const HEAD_CHARS = 500;
/** URLs under which Gemini may find more than an image. */
const NO_IMAGE =
  /\/\/((www|m)\.)?(youtube\.com|youtu\.be)\/|\.(pdf|mp4|mov|mpe?g|webm|mp3|wav|flac|ogg|aac|m4a)([?#]|$)/i;
const TEXT_NAME = /\.(txt|md|csv|json|xml|html?|ya?ml|css|js)$/i;
const TEXT_TYPE = /^text\/|^application\/.*(json|xml|yaml|javascript)$/i;

/** Measures a content part: OpenAI's, or another vendor's of the same structure (`…_url`, Anthropic's `source`). */
function addPart(sizes: Sizes, part: unknown): void {
  const given = asObject(part);
  const type = asString(given.type) ?? "";
  const held = given[type] ?? given.source;
  if (type === "text" || type === "refusal" || held === undefined) {
    addJson(sizes, part);
    return;
  }
  const { url, data, file_data: fileData, filename, format, media_type: mediaType } = asObject(held);
  const body = asString(held) ?? asString(url) ?? asString(fileData) ?? asString(data);
  const name = asString(filename) ?? "";
  addText(sizes, name);
  if (body === undefined) sizes.remoteFiles += 1;
  else addMedia(sizes, body, asString(mediaType) ?? guessMediaType(type, name, asString(format) ?? ""));
}

/** The assumed size of a part whose content is not in the request. */
function guessMediaType(partType: string, name: string, format: string): string {
  for (const kind of ["audio", "image", "video"]) if (partType.includes(kind)) return `${kind}/${format}`;
  return TEXT_NAME.test(name) ? "text/plain" : "application/pdf";
}

/** `body` is a URL, a data: URL or base64. */
function addMedia(sizes: Sizes, body: string, fallbackType: string): void {
  const head = body.slice(0, HEAD_CHARS);
  const [start = "", declared = "", parameters = ";base64"] = DATA_URL.exec(head) ?? [];
  if (start === "" && ADDRESS.test(head)) {
    if (fallbackType.startsWith("image/") && !NO_IMAGE.test(head)) sizes.media.image.pieces += 1;
    else sizes.remoteFiles += 1;
    return;
  }
  const type = declared === "" || declared === "application/octet-stream" ? fallbackType : declared;
  const bytes = (body.length - start.length) * (/;base64/i.test(parameters) ? BYTES_PER_BASE64 : 1);
  if (TEXT_TYPE.test(type)) {
    sizes.textBytes += bytes;
    sizes.denseBytes += bytes;
    return;
  }
  const media = sizes.media[readKind(type)];
  media.pieces += 1;
  media.bytes += bytes;
}

function readKind(mediaType: string): MediaKind {
  const [kind, form = ""] = mediaType.toLowerCase().split("/");
  if (kind === "audio") return /^(x-|vnd\.)?wave?$|^pcm/.test(form) ? "wav" : "audio";
  return kind === "image" || kind === "video" ? kind : "document";
}
