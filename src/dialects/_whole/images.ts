// The parts of a request for pictures that several dialects say alike.
import { Attachment } from "../../core/attachment.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ImageSource, ImagesRequest } from "../../operations/images/form.ts";

/** The settings of a request by OpenAI's names; those that it doesn't name are undefined. */
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
