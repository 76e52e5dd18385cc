// The types of the images operation: creates or edits pictures by a description.

import type { JsonObject } from "../../core/json/json.ts";
import type { LongText } from "../../core/json/long.ts";
import type { Attachment } from "../../core/models/attachment.ts";
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

/** An uploaded file, or a URL: of a picture on the web, or `data:` with the picture in it. */
export type ImageSource = Attachment | { readonly url: string };

export interface ImagesRequest extends OpenAsk {
  readonly prompt: string;
  readonly n: number;
  /** Such as `1024x1024`, or `auto`. */
  readonly size?: string;
  readonly quality?: string;
  readonly background?: string;
  readonly outputFormat?: string;
  readonly outputCompression?: number;
  /** The pictures of an animation. */
  readonly frameCount?: number;
  readonly moderation?: string;
  readonly style?: string;
  readonly responseFormat?: "url" | "b64_json";
  readonly inputFidelity?: string;
  /** The number of drafts of each picture shown in a stream. */
  readonly partialImages?: number;
  /** The pictures to edit. Empty to create a new one. */
  readonly sources: readonly ImageSource[];
  /** Transparent where the first picture may be changed. */
  readonly mask?: ImageSource;
  /** Drawn over the first picture, to show what to change. */
  readonly markup?: ImageSource;
}

/** The fields with a picture that lies over the first one. */
export const OVERLAYS = ["mask", "markup"] as const;

export interface Picture {
  readonly b64_json?: string | LongText;
  readonly url?: string;
  readonly revised_prompt?: string;
}

export interface ImagesReply extends WholeReply {
  readonly pictures: readonly Picture[];
  /** The settings reported by the provider: background, output_format, quality, size. */
  readonly settings: Readonly<JsonObject>;
}

/** A draft of an unfinished picture. */
export interface PartialPicture {
  /** Counted from 0. */
  readonly index: number;
  readonly b64_json: string;
  readonly settings: Readonly<JsonObject>;
}

export type ImagesForm = WholeReplyForm<ImagesRequest, ImagesReply, PartialPicture>;
