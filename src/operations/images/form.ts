// The types of the images operation: a description becomes pictures, alone or from other pictures.
import type { Attachment } from "../../core/attachment.ts";
import type { JsonObject } from "../../core/json.ts";
import type { LongText } from "../../core/long-json.ts";
import type { Ask } from "../form.ts";
import type { FormOf, WholeReply } from "../whole-form.ts";

/** A file of the client's, or an address: of a picture on the web, or `data:` with the picture in it. */
export type ImageSource = Attachment | { readonly url: string };

export interface ImagesRequest extends Ask {
  readonly prompt: string;
  readonly n: number;
  /** As `1024x1024`, or `auto`. */
  readonly size?: string;
  readonly quality?: string;
  readonly background?: string;
  readonly outputFormat?: string;
  readonly outputCompression?: number;
  readonly moderation?: string;
  readonly style?: string;
  readonly responseFormat?: "url" | "b64_json";
  readonly inputFidelity?: string;
  /** The drafts of each picture that a stream shows before it. */
  readonly partialImages?: number;
  /** The pictures to be changed; none: a new one is made. */
  readonly sources: readonly ImageSource[];
  /** Transparent where the first picture may be changed. */
  readonly mask?: ImageSource;
  /** The client's other fields. */
  readonly extras: Readonly<JsonObject>;
}

export interface Picture {
  readonly b64_json?: string | LongText;
  readonly url?: string;
  readonly revised_prompt?: string;
}

export interface ImagesReply extends WholeReply {
  readonly pictures: readonly Picture[];
  /** The settings that the provider reports: background, output_format, quality, size. */
  readonly settings: Readonly<JsonObject>;
}

/** A draft of a picture that is still being made. */
export interface PartialPicture {
  /** Counted from 0. */
  readonly index: number;
  readonly b64_json: string;
  readonly settings: Readonly<JsonObject>;
}

export type ImagesForm = FormOf<ImagesRequest, ImagesReply, PartialPicture>;
