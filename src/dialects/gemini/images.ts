// Images at Google: Imagen by `:predict`, and Gemini's own models by `generateContent` (ai.google.dev/gemini-api/docs/imagen, image-generation).

import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, type JsonObject } from "../../core/json/json.ts";
import { asText } from "../../core/json/long.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import { parseDataUrl } from "../../operations/chat/prompt/data-url.ts";
import type { Codec } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import type {
  ImageSource,
  ImagesForm,
  ImagesReply,
  ImagesRequest,
  Picture,
} from "../../operations/images/form.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { passExtras } from "../_chat/outgoing.ts";
import { findUrl, SETTINGS, type Setting } from "../_whole/images.ts";
import { countModality } from "./metadata.ts";
import { makeHeaders, makeUrl } from "./outgoing.ts";

const IMAGEN = /^imagen/;
const PICTURES_MAX = 4;
/** The aspect ratios that both accept, with the size that is drawn for them: about a megapixel, whatever was asked. */
const SHAPES: ReadonlyMap<string, string> = new Map([
  ["1:1", "1024x1024"],
  ["3:4", "896x1200"],
  ["4:3", "1200x896"],
  ["9:16", "768x1376"],
  ["16:9", "1376x768"],
]);

export const GEMINI_IMAGES: Codec<ImagesForm> = makeWholeCodec({
  answersPerCall: ({ name }) => (IMAGEN.test(name) ? PICTURES_MAX : 1),
  fit: (ask, { name }) => fitImages(ask, IMAGEN.test(name) ? ["size", "outputFormat"] : ["size"]),
  encode: (ask, card, target) => (IMAGEN.test(card.name) ? encodeImagen : encodeGemini)(ask, card, target),
  reply: (body, card) => (IMAGEN.test(card.name) ? readImagen(body, card) : readGemini(body)),
});

function encodeImagen(ask: ImagesRequest, card: ModelCard, target: Target): Outgoing {
  if (ask.sources.length > 0) throw makeUnsupportedFault(card, "change pictures");
  const shape = findShape(ask.size);
  const extras = passExtras(ask.extras, [], target);
  const mimeType = ask.outputFormat === undefined ? undefined : `image/${ask.outputFormat}`;
  const parameters = {
    sampleCount: ask.n,
    ...(shape ? { aspectRatio: shape } : {}),
    ...(mimeType ? { outputOptions: { mimeType } } : {}),
  };
  return {
    url: `${target.baseUrl}/models/${encodeURIComponent(card.name.toWellFormed())}:predict`,
    headers: makeHeaders(target),
    body: { ...extras.fields, instances: [{ prompt: ask.prompt }], parameters },
    dropped: extras.dropped,
  };
}

function encodeGemini(ask: ImagesRequest, card: ModelCard, target: Target): Outgoing {
  const shape = findShape(ask.size);
  const extras = passExtras(ask.extras, [], target);
  const parts = [{ text: ask.prompt }, ...ask.sources.map((source) => writeSource(source, card))];
  const generationConfig = {
    responseModalities: ["TEXT", "IMAGE"],
    ...(shape ? { imageConfig: { aspectRatio: shape } } : {}),
  };
  return {
    url: makeUrl(card.name, target.baseUrl, false),
    headers: makeHeaders(target),
    body: { ...extras.fields, contents: [{ role: "user", parts }], generationConfig },
    dropped: extras.dropped,
  };
}

/** Leaves out all settings but those carried, and puts the size that will be drawn in place of the one asked for. */
function fitImages(ask: ImagesRequest, carried: readonly Setting[]): ChangedAsk<ImagesRequest> {
  const drawn = SHAPES.get(findShape(ask.size) ?? "");
  const sized = drawn === undefined || drawn === ask.size ? ask : { ...ask, size: drawn };
  const hasSize = drawn !== undefined || ask.size === "auto";
  const unsent = SETTINGS.filter(([field]) => !carried.includes(field) || (field === "size" && !hasSize));
  return leaveOut(sized, [...unsent, ["mask", "mask"], ["markup", "markup"]]);
}

/** Returns the ratio nearest to a size such as `1536x1024`, or null if the model may choose. */
function findShape(size: string | undefined): string | null {
  const [width = 0, height = 0] = (size ?? "").split("x").map(Number);
  if (!(width > 0 && height > 0)) return null;
  const distance = (shape: string) => {
    const [across = 1, down = 1] = shape.split(":").map(Number);
    return Math.abs(Math.log((width * down) / (height * across)));
  };
  return [...SHAPES.keys()].toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

function writeSource(source: ImageSource, card: ModelCard): JsonObject {
  const data = parseDataUrl(findUrl(source));
  if (!data) throw makeUnsupportedFault(card, "fetch images: send them as files or data: URLs");
  return { inlineData: { mimeType: data.mediaType, data: data.base64 } };
}

function makeUnsupportedFault({ id }: ModelCard, what: string): Fault {
  return new Fault("unsupported_capability", `The model '${id}' can't ${what}.`, { param: "model" });
}

function readImagen(body: unknown, { price }: ModelCard): ImagesReply {
  const pictures = asArray(asObject(body).predictions).flatMap((one) => {
    const { bytesBase64Encoded: data } = asObject(one);
    // Recorded on Vertex AI: the filter's verdict on the prompt is an entry among the images.
    return data === undefined ? [] : [readPicture(data)];
  });
  if (pictures.length === 0) throw makeFilterFault();
  const images = pictures.length;
  return {
    pictures,
    settings: {},
    usage: price?.perImage === undefined ? null : { amounts: { ...NO_AMOUNTS, images } },
  };
}

function readGemini(body: unknown): ImagesReply {
  const { candidates, usageMetadata } = asObject(body);
  const parts = asArray(candidates).flatMap((one) => asArray(asObject(asObject(one).content).parts));
  const pictures = parts.flatMap((part) => {
    const { data } = asObject(asObject(part).inlineData);
    // Drafts drawn while thinking are not part of the answer.
    return data === undefined || asObject(part).thought === true ? [] : [readPicture(data)];
  });
  if (pictures.length === 0) throw makeFilterFault();
  return { pictures, settings: {}, usage: readUsage(asObject(usageMetadata), pictures.length) };
}

function readPicture(data: unknown): Picture {
  const text = asText(data);
  if (text === undefined || text === "") throw malformed("an image is missing");
  return { b64_json: text };
}

/** Google leaves out images that its filter stopped. */
function makeFilterFault(): Fault {
  return new Fault("content_filter", "The provider's filter blocked the image.", { upstreamStatus: 200 });
}

function readUsage(usage: JsonObject, images: number): WorkUsage | null {
  const prompt = asCount(usage.promptTokenCount);
  const completion = asCount(usage.candidatesTokenCount) + asCount(usage.thoughtsTokenCount);
  if (prompt + completion === 0) return null;
  const inputImage = Math.min(prompt, countModality(usage.promptTokensDetails, "IMAGE"));
  const outputImage = Math.min(completion, countModality(usage.candidatesTokensDetails, "IMAGE"));
  return { amounts: { ...NO_AMOUNTS, prompt, inputImage, completion, outputImage, images } };
}
