// Images in OpenAI's form (OpenAI API reference, "Create image", "Create image edit"), and as xAI and OpenRouter
// differ.

import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { asText } from "../../core/json/long.ts";
import { Attachment, type FormEntry } from "../../core/models/attachment.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { Codec } from "../../operations/codec.ts";
import {
  type ImagesForm,
  type ImagesReply,
  type ImagesRequest,
  OVERLAYS,
  type Picture,
} from "../../operations/images/form.ts";
import { leaveOut, type Unsent } from "../../operations/leave-out.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { type EncodedFields, makeCall, passExtras } from "../_chat/outgoing.ts";
import { readTerms } from "../_chat/terms.ts";
import { findUrl, listSettings, SETTINGS, type Setting } from "../_whole/images.ts";
import { decodePictures } from "./media-streams.ts";

interface ImagesQuirks {
  readonly generationsPath: string;
  /** Null if it can't edit images. */
  readonly editsPath: string | null;
  /** True if files are sent as a form. Otherwise all images are sent as addresses in JSON. */
  readonly takesFiles: boolean;
  /** True if an edit may show on a picture what to change. */
  readonly takesMarkup: boolean;
  /** Fields that the server refuses for models whose name matches. The first match counts. */
  readonly refuses: readonly { readonly names: RegExp; readonly fields: readonly Setting[] }[];
  /** Fields outside the form that the server documents. The rest are left out and named. */
  readonly passes: readonly string[];
  /** The models that stream drafts and images. Null if none does. */
  readonly streams: RegExp | null;
  /** Returns an image's address as the server's JSON expects it. */
  readonly writeSource: (url: string) => JsonObject;
}

const PICTURES_MAX = 10;
const NEWER_FIELDS: readonly Setting[] = [
  ...(["background", "outputFormat", "outputCompression", "frameCount", "moderation"] as const),
  "inputFidelity",
];

export const OPENAI_IMAGES: ImagesQuirks = {
  generationsPath: "/images/generations",
  editsPath: "/images/edits",
  takesFiles: true,
  takesMarkup: true,
  refuses: [
    { names: /^dall-e-2/, fields: [...NEWER_FIELDS, "quality", "style"] },
    { names: /^dall-e/, fields: NEWER_FIELDS },
    // Recorded: `response_format` is refused with 400 unknown_parameter, since these always return the image itself.
    { names: /gpt-image/, fields: ["responseFormat", "style"] },
  ],
  passes: ["user", "safety_identifier", "complexity", "frame_duration_ms"],
  streams: /^(?!dall-e)/,
  writeSource: (url) => ({ image_url: url }),
};

/** docs.x.ai, "Image generation": no sizes, and only JSON. */
export const XAI_IMAGES: ImagesQuirks = {
  ...OPENAI_IMAGES,
  takesFiles: false,
  takesMarkup: false,
  streams: null,
  refuses: [{ names: /./, fields: [...NEWER_FIELDS, "size", "quality", "style"] }],
  writeSource: (url) => ({ type: "image_url", url }),
};

/** openrouter.ai/docs: its own path, and no edits. */
export const OPENROUTER_IMAGES: ImagesQuirks = {
  ...OPENAI_IMAGES,
  generationsPath: "/images",
  editsPath: null,
  takesFiles: false,
  streams: null,
  refuses: [],
};

export function makeImages(quirks: ImagesQuirks): Codec<ImagesForm> {
  return makeWholeCodec({
    answersPerCall: () => PICTURES_MAX,
    fit: (ask, { name }) => leaveOut(ask, listUnsent(quirks, ask, name)),
    encode: (ask, card, target) => encodeImages(quirks, ask, card, target),
    decoder: (card, ask) => decodePictures(ask, (body) => readImages(body, card)),
    reply: (body, card) => readImages(body, card),
  });
}

/** An SVG is written by a second model, whose bill stands beside the usage: no hold covers it. */
function refuseDrawing({ outputFormat }: ImagesRequest, { id, name }: ModelCard): void {
  if (outputFormat !== "svg" || !/gpt-image/.test(name)) return;
  const message = `'${id}' can't be asked for an SVG here, because a second model writes and bills it. Use png, webp, jpeg or gif.`;
  throw new Fault("unsupported_parameter", message, { param: "output_format" });
}

function encodeImages(quirks: ImagesQuirks, ask: ImagesRequest, card: ModelCard, target: Target): Outgoing {
  refuseDrawing(ask, card);
  const { fields, dropped } = listFields(quirks, ask, card.name, target);
  if (ask.sources.length === 0) return makeCall(target, quirks.generationsPath, fields, dropped);
  if (quirks.editsPath === null) {
    const message = `The model '${card.id}' can't edit images.`;
    throw new Fault("unsupported_capability", message, { param: "model" });
  }
  const form = quirks.takesFiles ? makeForm(fields, ask) : null;
  if (form) return { ...makeCall(target, quirks.editsPath, {}, dropped), form };
  const images = ask.sources.map((source) => quirks.writeSource(findUrl(source)));
  const overlays = listOverlays(ask).map(([field, source]) => [field, quirks.writeSource(findUrl(source))]);
  return makeCall(target, quirks.editsPath, { ...fields, images, ...Object.fromEntries(overlays) }, dropped);
}

function listOverlays(ask: ImagesRequest) {
  return OVERLAYS.flatMap((field) => {
    const source = ask[field];
    return source === undefined ? [] : [[field, source] as const];
  });
}

function isStreamed({ streams }: ImagesQuirks, ask: ImagesRequest, name: string): boolean {
  return ask.stream === true && streams?.test(name) === true;
}

/** Drafts are only shown in a stream. */
function listUnsent(quirks: ImagesQuirks, ask: ImagesRequest, name: string): Unsent<ImagesRequest> {
  const refused = quirks.refuses.find(({ names }) => names.test(name))?.fields ?? [];
  const draws = isStreamed(quirks, ask, name);
  const settings = SETTINGS.filter(
    ([field]) => refused.includes(field) || (field === "partialImages" && !draws),
  );
  return quirks.takesMarkup ? settings : [...settings, ["markup", "markup"]];
}

function listFields(quirks: ImagesQuirks, ask: ImagesRequest, name: string, target: Target): EncodedFields {
  const stream = isStreamed(quirks, ask, name) ? { stream: true } : {};
  const { fields, dropped } = passExtras(ask.extras, quirks.passes, target);
  const own = { model: name, prompt: ask.prompt, n: ask.n, ...listSettings(ask), ...stream };
  return { fields: { ...fields, ...own }, dropped };
}

/** Returns null if a picture is an address, which a form has no place for. */
function makeForm(fields: JsonObject, ask: ImagesRequest): readonly FormEntry[] | null {
  const pictures = [...ask.sources.map((source) => ["image[]", source] as const), ...listOverlays(ask)];
  const files = pictures.flatMap(([name, picture]): readonly FormEntry[] =>
    picture instanceof Attachment ? [[name, picture]] : [],
  );
  if (files.length < pictures.length) return null;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return [...given.map(([name, value]): FormEntry => [name, String(value)]), ...files];
}

function readImages(body: unknown, card: ModelCard): ImagesReply {
  const { data, usage, background, output_format, quality, size } = asObject(body);
  const pictures = asArray(data).map(readPicture);
  if (pictures.length === 0) throw malformed("no pictures");
  const settings = { background, output_format, quality, size };
  return { pictures, settings, usage: readUsage(usage, pictures.length, card) };
}

function readPicture(value: unknown): Picture {
  const { b64_json, url, revised_prompt } = asObject(value);
  const data = asText(b64_json);
  const address = asString(url);
  const revised = asString(revised_prompt);
  if (data === undefined && address === undefined) throw malformed("an image is missing");
  return {
    ...(data === undefined ? {} : { b64_json: data }),
    ...(address === undefined ? {} : { url: address }),
    ...(revised === undefined ? {} : { revised_prompt: revised }),
  };
}

/** Unless tokens are priced, the number of images is enough. */
function readUsage(usage: unknown, images: number, { price, isHoldPriced }: ModelCard): WorkUsage | null {
  const given = asObject(usage);
  const prompt = asCount(given.input_tokens);
  const completion = asCount(given.output_tokens);
  const isCounted = isObject(usage) && prompt + completion > 0;
  const needsTokens = price !== null && price.perImage === undefined && !isHoldPriced;
  if (!isCounted) return needsTokens ? null : { amounts: { ...NO_AMOUNTS, images } };
  const inputImage = Math.min(prompt, asCount(asObject(given.input_tokens_details).image_tokens));
  const text = Math.min(completion, asCount(asObject(given.output_tokens_details).text_tokens));
  const tokens = { prompt, inputImage, completion, outputImage: completion - text };
  const terms = readTerms(undefined, given);
  return { amounts: { ...NO_AMOUNTS, ...tokens, images }, ...(terms ? { terms } : {}) };
}
