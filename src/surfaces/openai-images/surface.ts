// OpenAI's image generations and edits; edits come as a form with files, or as JSON with addresses.
import { Attachment } from "../../core/attachment.ts";
import { Fault } from "../../core/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import type { Limits } from "../../core/settings.ts";
import type { ImageSource, ImagesForm, ImagesRequest } from "../../operations/images/form.ts";
import { IMAGES } from "../../operations/images/operation.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { convertFields } from "../form-fields.ts";
import { type Exchange, type Incoming, refuseAsOpenai, type Surface, TRANSLATED } from "../surface.ts";
import { imagesRequestSchema } from "./schema.ts";
import { makePictureWriter, writeWhole } from "./writer.ts";

const CHECKER = new Checker(imagesRequestSchema);
const EDITS = /\/images\/edits$/;
const SOURCES_MAX = 16;
const NUMBERS = {
  n: "number",
  output_compression: "number",
  partial_images: "number",
  stream: "boolean",
} as const;

export const OPENAI_IMAGES: Surface<ImagesForm> = {
  name: "openai-images",
  family: "openai",
  operation: IMAGES,
  idPrefix: "img-",
  body: "either",
  read({ url, body, limits }: Incoming): Exchange<ImagesForm> {
    const isEdit = EDITS.test(new URL(url).pathname);
    const { image, images, mask, ...rest } = convertFields(readFields(body), NUMBERS);
    CHECKER.check(rest, 1);
    checkModelName(rest.model);
    refuseMany(rest.n, limits);
    const sources = isEdit ? readSources(image, images) : [];
    const ask = checked(rest, sources, mask === undefined ? undefined : readSource(mask, "mask"));
    return {
      ...TRANSLATED,
      dropped: ask.stream || rest.partial_images === undefined ? [] : ["partial_images"],
      ask,
      whole: writeWhole,
      writer: (stamp) => makePictureWriter(stamp, isEdit),
    };
  },
  refuse: refuseAsOpenai,
};

function refuseMany(n: unknown, { choicesMax }: Limits): void {
  if (typeof n !== "number" || n <= choicesMax) return;
  const message = `Invalid 'n': integer above maximum value. Expected a value <= ${choicesMax}.`;
  throw new Fault("integer_above_max_value", message, { param: "n" });
}

/** The schema was checked: the fields are what its type says. */
function checked(
  given: JsonObject,
  sources: readonly ImageSource[],
  mask: ImageSource | undefined,
): ImagesRequest {
  const { model, prompt, n, size, quality, background, output_format, output_compression, ...more } = given;
  const { moderation, style, response_format, input_fidelity, stream, partial_images, ...extras } = more;
  const isStreamed = stream === true;
  return {
    ...{ model, prompt, n: n ?? 1, size, quality, background, moderation, style, sources, extras },
    ...{ outputFormat: output_format, outputCompression: output_compression },
    ...{ responseFormat: response_format, inputFidelity: input_fidelity },
    ...(mask ? { mask } : {}),
    ...(isStreamed ? { stream, partialImages: partial_images } : {}),
  } as ImagesRequest;
}

/** A form has files under `image`, JSON has addresses under `images`. */
function readSources(image: unknown, images: unknown): readonly ImageSource[] {
  const field = images === undefined ? "image" : "images";
  const given = images ?? image;
  const list = Array.isArray(given) ? asArray(given) : given === undefined ? [] : [given];
  if (list.length === 0) {
    throw new Fault("missing_required_parameter", `Missing required parameter: '${field}'.`, {
      param: field,
    });
  }
  if (list.length > SOURCES_MAX) {
    const message = `Invalid '${field}': array too long. Expected at most ${SOURCES_MAX} elements.`;
    throw new Fault("array_above_max_length", message, { param: field });
  }
  return list.map((one, at) => readSource(one, `${field}[${at}]`));
}

function readSource(given: unknown, path: string): ImageSource {
  if (given instanceof Attachment && given.bytes.length > 0) return given;
  if (isObject(given) && given.file_id !== undefined) {
    const message = `Unsupported '${path}': a file lies in the provider's account, which all clients share.`;
    throw new Fault("unsupported_parameter", message, { param: path });
  }
  const url = asString(given) ?? asString(asObject(given).image_url) ?? asString(asObject(given).url);
  if (url !== undefined && /^(https?:\/\/|data:image\/)/i.test(url)) return { url };
  const message = `Invalid '${path}': expected a file, or the address of a picture (https: or data:).`;
  throw new Fault("invalid_value", message, { param: path });
}
