// The parts of an image request that several dialects share.
import { Attachment } from "../../core/attachment.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ImageSource, ImagesRequest } from "../../operations/images/form.ts";

/** Lists a request's settings by OpenAI's names. Those that are not set are undefined. */
export function listSettings(ask: ImagesRequest): JsonObject {
  return {
    size: ask.size,
    quality: ask.quality,
    background: ask.background,
    output_format: ask.outputFormat,
    output_compression: ask.outputCompression,
    moderation: ask.moderation,
    style: ask.style,
    response_format: ask.responseFormat,
    input_fidelity: ask.inputFidelity,
    partial_images: ask.partialImages,
  };
}

export function findUrl(source: ImageSource): string {
  return source instanceof Attachment ? source.toDataUrl() : source.url;
}
