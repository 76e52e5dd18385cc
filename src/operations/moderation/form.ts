// The types of the moderation operation.
import type { JsonObject } from "../../core/json/json.ts";
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

/** The model if the client names none: as at OpenAI, `model` is optional. */
export const STANDARD_MODERATION = "omni-moderation-latest";

/** A part of an input. An image's URL is never fetched here. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export interface ModerationRequest extends OpenAsk {
  /** Inputs are judged separately: each is a text, or parts judged together. At least one. */
  readonly inputs: readonly (string | readonly ModerationPart[])[];
}

/** A verdict on one input, with the provider's own categories. */
export interface ModerationResult extends JsonObject {
  readonly flagged: boolean;
  readonly categories: JsonObject;
  readonly category_scores: JsonObject;
}

export interface ModerationReply extends WholeReply {
  /** One per input, in order. */
  readonly results: readonly ModerationResult[];
}

export type ModerationForm = WholeReplyForm<ModerationRequest, ModerationReply>;
