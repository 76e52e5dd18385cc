// Estimates a prompt's tokens: high for the hold before a call, average if no provider reported a count.
import type { ModelCard } from "../../core/card.ts";
import { asObject, asString, isObject } from "../../core/json.ts";
import { BYTES_PER_TOKEN, CONTEXT_SLACK } from "../text-tokens.ts";
import type { ChatMessage, ChatRequest } from "./form.ts";
import { readToolName, searchesMax } from "./searches.ts";

/** Measured with o200k: prose has 4 to 6 bytes per token, JSON 2.3 to 2.9, UUIDs, base64 and punctuation 1.5. */
const BYTES_PER_TOKEN_MIN = 1.4;
/**
 * Signatures and encrypted thinking, which only their maker reads. Recorded: 5 at Gemini, 11 at OpenAI, usually none.
 */
const [SEALED_BYTES_PER_TOKEN_MIN, SEALED_BYTES_PER_TOKEN] = [4, 10];
const BYTES_PER_BASE64 = 0.75;
/** Quotes, colons, commas and brackets around each JSON entry. */
const QUOTING_BYTES = 4;

const MEDIA_KINDS = ["image", "wav", "audio", "video", "document"] as const;
type MediaKind = (typeof MEDIA_KINDS)[number];

/** Tokens per piece, and per decoded kilobyte of it. */
interface Rate {
  readonly each: number;
  readonly perKilobyte: number;
}
/**
 * At worst; images are in FAMILIES. Sound: Gemini counts 32 tokens a second (ai.google.dev/gemini-api/docs/tokens), a
 * kilobyte at 8 kbit/s and 3 kB of the poorest WAV; Voxtral fills up to 30 s, 375 tokens (recorded). Video: 263 tokens a
 * second (same page), a kilobyte of a still scene. Documents: a page of a PDF is an image and up to 3,000 tokens of text
 * (docs.anthropic.com/en/docs/build-with-claude/pdf-support), in some 5 kB or more.
 */
const WORST_MEDIA: Readonly<Partial<Record<MediaKind, Rate>>> = {
  wav: { each: 500, perKilobyte: 10 },
  audio: { each: 500, perKilobyte: 50 },
  video: { each: 1000, perKilobyte: 300 },
  document: { each: 5000, perKilobyte: 600 },
};
/** Typical sizes: a one-megapixel image, audio at 64 kbit/s, a PDF with 20 kB per page. */
const LIKELY_MEDIA: Readonly<Partial<Record<MediaKind, Rate>>> = {
  image: { each: 800, perKilobyte: 0 },
  wav: { each: 0, perKilobyte: 1 },
  audio: { each: 0, perKilobyte: 4 },
  video: { each: 0, perKilobyte: 5 },
  document: { each: 500, perKilobyte: 30 },
};
/** A file stored or fetched by the provider: its size is unknown, so at worst it fills the context. */
const LIKELY_REMOTE_FILE = 5000;
const CONTEXT_UNKNOWN = 1_000_000;

/** Tokens added by a provider's template per message and per tool, and for an answer's schema. */
const [MESSAGE_TOKENS, LIKELY_MESSAGE_TOKENS] = [12, 4];
const [TOOL_TOKENS, SCHEMA_TOKENS] = [30, 300];

interface Family {
  /** The largest image. */
  readonly image: number;
  /** Tokens that the provider adds to every prompt, and more if there are tools. */
  readonly base: number;
  readonly tools: number;
}
const OTHERS: Family = { image: 4200, base: 100, tools: 700 };
/**
 * The differences, by `<provider>#<name>` in lower case; the first that matches. The sizes of hidden prompts were recorded. Images:
 * - platform.claude.com/docs/en/build-with-claude/vision: 4,784 from Opus 4.7 and Sonnet 5 on, 1,568 before.
 * - OpenAI, "Images and vision": gpt-4o-mini 2,833 + 8 tiles of 5,667, other models of tiles 85 + 8 × 170, small newer
 *   ones 1,536 patches × 2.46, large newer ones 10,000 patches in the original's detail.
 * - ai.google.dev/gemini-api/docs/media-resolution: 2,240; tiles of 258 in old models.
 * - 1,792 at xAI, 16,384 in Qwen's processors, 64 × 65 in Pixtral, 13 tiles of 256 at Cohere.
 */
const FAMILIES: readonly (Partial<Family> & { readonly names: RegExp })[] = [
  { names: /claude-(fable|mythos|(opus|sonnet|haiku)-(4[.-][7-9]|[5-9]|\d\d))/, image: 4800, tools: 900 },
  { names: /claude/, image: 1600 },
  { names: /gpt-4o-mini/, image: 48_200, tools: 100 },
  { names: /gpt-.*(mini|nano)|o4-mini/, image: 3800, tools: 100 },
  { names: /gpt-(5\.[4-9]|[6-9]|\d\d)/, image: 10_000, tools: 100 },
  { names: /openai#|[#/]gpt-\d/, image: 1500, tools: 100 },
  { names: /gemini|google#/, image: 2600, tools: 100 },
  { names: /cohere#|command-/, image: 3400 },
  { names: /grok|xai#/, image: 1800, base: 1000 },
  { names: /qwen/, image: 16_400 },
];

/** A card's family is cached: matching the names each time would cost half a microsecond. */
const families = new WeakMap<ModelCard, Family>();

function findFamily(card: ModelCard): Family {
  const id = readToolName(card);
  return { ...OTHERS, ...FAMILIES.find(({ names }) => names.test(id)) };
}

/** The prompt tokens added by a search. Recorded: from 1,400 to 9,000, and less per search the more there are. */
const SEARCH_TOKENS = 5000;

/**
 * Returns a number of prompt tokens that the provider's count will hardly exceed, for one choice: multiply by `n`.
 * Reads each text once without copying. `unreadBytes` is text sent with the request but not part of it, `searches`
 * the most that the provider may run.
 */
export function estimateWorstPromptTokens(
  request: ChatRequest,
  card: ModelCard,
  unreadBytes = 0,
  searches = searchesMax(request, card),
): number {
  const sizes = measureSizes(request);
  const family = families.getOrInsertComputed(card, findFamily);
  let tokens = family.base + MESSAGE_TOKENS * sizes.messages + TOOL_TOKENS * sizes.tools;
  tokens += (sizes.tools > 0 ? family.tools : 0) + (hasFormat(request) ? SCHEMA_TOKENS : 0);
  tokens += sizes.denseBytes + (sizes.textBytes - sizes.denseBytes + unreadBytes) / BYTES_PER_TOKEN_MIN;
  tokens += sizes.sealedBytes / SEALED_BYTES_PER_TOKEN_MIN + countMediaTokens(sizes, WORST_MEDIA);
  if (sizes.remoteFiles > 0) tokens += card.contextTokensMax ?? CONTEXT_UNKNOWN;
  tokens = Math.min(tokens, (card.contextTokensMax ?? Number.POSITIVE_INFINITY) * CONTEXT_SLACK);
  // Neither is bounded by the context: gpt-4o-mini bills more for an image than it reads, and agents read again at each
  // step.
  tokens += family.image * sizes.media.image.pieces + SEARCH_TOKENS * searches;
  return Math.ceil(tokens);
}

/** Returns the expected number of prompt tokens, to charge if the provider reported none. */
export function estimatePromptTokens(request: ChatRequest): number {
  const sizes = measureSizes(request);
  const inText = sizes.textBytes / BYTES_PER_TOKEN + sizes.sealedBytes / SEALED_BYTES_PER_TOKEN;
  const inMedia = countMediaTokens(sizes, LIKELY_MEDIA) + LIKELY_REMOTE_FILE * sizes.remoteFiles;
  return Math.ceil(inText + inMedia + LIKELY_MESSAGE_TOKENS * sizes.messages);
}

function makeNone() {
  return { pieces: 0, kilobytes: 0 };
}

/** The sizes of a request's parts by kind. */
class Sizes {
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

function countMediaTokens({ media }: Sizes, rates: Readonly<Partial<Record<MediaKind, Rate>>>): number {
  let tokens = 0;
  for (const kind of MEDIA_KINDS) {
    const rate = rates[kind];
    if (rate) tokens += rate.each * media[kind].pieces + rate.perKilobyte * media[kind].kilobytes;
  }
  return tokens;
}

/** Fields that no model reads. All others count, known or not, because servers put their own fields into the prompt. */
const NOT_READ = new Set([
  ...["model", "messages", "metadata", "user", "logit_bias", "stop", "stream_options"],
  ...["tool_choice", "reasoning_effort", "modalities", "service_tier", "verbosity"],
]);

/** Text is what every model answers with. */
function hasFormat({ response_format: format }: ChatRequest): boolean {
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
  sizes.messages = messages.length;
  for (const message of messages) addMessage(sizes, message);
  return sizes;
}

function measureSizes(request: ChatRequest): Sizes {
  const sizes = measureMessages(request.messages);
  sizes.tools = request.tools?.length ?? 0;
  for (const field in request) {
    const value = request[field];
    const isSetting = typeof value === "number" || typeof value === "boolean" || value === undefined;
    if (isSetting || NOT_READ.has(field) || (field === "response_format" && !hasFormat(request))) continue;
    addJson(sizes, value);
  }
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
  sizes.textBytes += Buffer.byteLength(text);
  sizes.denseBytes += countDenseBytes(text);
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
function countDenseBytes(text: string): number {
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
  media.kilobytes += bytes / 1000;
}

function readKind(mediaType: string): MediaKind {
  const [kind, form = ""] = mediaType.toLowerCase().split("/");
  if (kind === "audio") return /^(x-|vnd\.)?wave?$|^pcm/.test(form) ? "wav" : "audio";
  return kind === "image" || kind === "video" ? kind : "document";
}
