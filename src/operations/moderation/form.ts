// The types of the moderation operation.
import type { JsonObject } from "../../core/json.ts";
import type { Ask } from "../form.ts";
import type { FormOf, WholeReply } from "../whole-form.ts";

/** A part of one input; an image's address is never called here. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export interface ModerationRequest extends Ask {
  /** Each is judged by itself: a text, or parts that are judged together. At least one. */
  readonly inputs: readonly (string | readonly ModerationPart[])[];
  readonly extras: Readonly<JsonObject>;
}

/** A verdict on one input, with categories of the provider's own. */
export interface ModerationResult extends JsonObject {
  readonly flagged: boolean;
  readonly categories: JsonObject;
  readonly category_scores: JsonObject;
}

export interface ModerationReply extends WholeReply {
  /** One for each input, in their order. */
  readonly results: readonly ModerationResult[];
}

export type ModerationForm = FormOf<ModerationRequest, ModerationReply>;
