// OpenAI's image generations, and edits as a form with files or as JSON with URLs.
import { Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import { Attachment } from "../../core/models/attachment.ts";
import { isPublicImage } from "../../operations/chat/prompt/address.ts";
import type { ImageSource, ImagesForm, ImagesRequest } from "../../operations/images/form.ts";
import { IMAGES } from "../../operations/images/operation.ts";
import { checkChoice, modelName, openObject } from "../bounds.ts";
import { refuseLargeNumber, refuseLongList } from "../checker.ts";
import { makeOpenAiSurface } from "../openai-surface.ts";
import type { Surface } from "../surface.ts";
import { makePictureWriter, writeWhole } from "./writer.ts";

/** OpenAI API reference, "Create image". Any size and quality is accepted, since other servers' values differ. */
const PROMPT_CHARACTERS_MAX = 100_000;
const word = Type.String({ minLength: 1, maxLength: 64 });

export const imagesRequestSchema = openObject({
  model: modelName,
  prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARACTERS_MAX }),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  size: Type.Optional(word),
  quality: Type.Optional(word),
  background: Type.Optional(word),
  output_format: Type.Optional(word),
  output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  frame_count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  moderation: Type.Optional(word),
  style: Type.Optional(word),
  response_format: Type.Optional(checkChoice("url", "b64_json")),
  input_fidelity: Type.Optional(word),
  stream: Type.Optional(Type.Boolean()),
  partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
});

const EDITS = /\/images\/edits$/;
const SOURCES_MAX = 16;

export const OPENAI_IMAGES: Surface<ImagesForm> = makeOpenAiSurface({
  name: "openai-images",
  operation: IMAGES,
  idPrefix: "img-",
  body: "either",
  schema: imagesRequestSchema,
  list: "prompt",
  fieldTypes: {
    n: "number",
    output_compression: "number",
    frame_count: "number",
    partial_images: "number",
    stream: "boolean",
  },
  read(given, { image, images, ...others }, { url, limits }) {
    const isEdit = EDITS.test(new URL(url).pathname);
    refuseLargeNumber(given.n, limits.choicesMax, "n");
    const { overlays, extras } = isEdit ? readOverlays(others) : { overlays: {}, extras: others };
    const { model, prompt, n = 1, size, quality, background, moderation, style, stream } = given;
    const ask: ImagesRequest = {
      model,
      prompt,
      n,
      size,
      quality,
      background,
      moderation,
      style,
      sources: isEdit ? readSources(image, images) : [],
      extras,
      outputFormat: given.output_format,
      outputCompression: given.output_compression,
      ...(given.frame_count === undefined ? {} : { frameCount: given.frame_count }),
      responseFormat: given.response_format,
      inputFidelity: given.input_fidelity,
      ...overlays,
      ...(stream === true ? { stream, partialImages: given.partial_images } : {}),
    };
    return {
      dropped: stream === true || given.partial_images === undefined ? [] : ["partial_images"],
      ask,
      whole: writeWhole,
      writer: (stamp) => makePictureWriter(stamp, isEdit),
    };
  },
});

/** A form's files are in `image`, a JSON body's URLs in `images`. */
function readSources(image: unknown, images: unknown): readonly ImageSource[] {
  const field = images === undefined ? "image" : "images";
  const given = images ?? image;
  const list = Array.isArray(given) ? asArray(given) : given === undefined ? [] : [given];
  if (list.length === 0) throw missingParameter(field);
  refuseLongList(list, SOURCES_MAX, field);
  return list.map((one, at) => readSource(one, `${field}[${at}]`));
}

function readOverlays({ mask, markup, ...extras }: JsonObject) {
  const overlays = {
    ...(mask === undefined ? {} : { mask: readSource(mask, "mask") }),
    ...(markup === undefined ? {} : { markup: readSource(markup, "markup") }),
  };
  return { overlays, extras };
}

function readSource(value: unknown, path: string): ImageSource {
  if (value instanceof Attachment && value.bytes.length > 0) return value;
  if (isObject(value) && value.file_id !== undefined && value.file_id !== null) {
    const message = `Unsupported '${path}': files belong to the provider's account, which all clients share. Send the image itself.`;
    throw new Fault("unsupported_parameter", message, { param: path });
  }
  const url = asString(value) ?? asString(asObject(value).image_url) ?? asString(asObject(value).url);
  if (url !== undefined && isPublicImage(url) && /^(https?:\/\/|data:image\/)/i.test(url)) return { url };
  const message = `Invalid '${path}': expected a file, or an image URL (https: or data:).`;
  throw new Fault("invalid_value", message, { param: path });
}
