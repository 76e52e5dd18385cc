// The types of the embeddings operation.
import type { JsonObject } from "../../core/json.ts";
import type { Ask } from "../form.ts";
import type { FormOf, WholeReply } from "../whole-form.ts";

/** A text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export const INPUT_TYPES = ["query", "document", "classification", "clustering"] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The end of a text that is too long for the model may be cut off, its beginning, or neither. */
export const TRUNCATIONS = ["none", "start", "end"] as const;
export type Truncation = (typeof TRUNCATIONS)[number];

export interface EmbeddingsRequest extends Ask {
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** The form in which the client wants the vectors. */
  readonly encoding: "float" | "base64";
  /** The length of the vectors; left out: the model's own. */
  readonly dimensions?: number;
  readonly inputType?: InputType;
  readonly truncation?: Truncation;
  /** Google's own word for the kind of text, which is finer than `inputType`. */
  readonly task?: string;
  /** The title of the documents that the texts are parts of. */
  readonly title?: string;
  /** The client's other fields, for servers that have OpenAI's form of the request. */
  readonly extras: Readonly<JsonObject>;
}

/** A vector as it came: its numbers, or base64 of them as 32-bit floats, least significant byte first. */
export type Vector = readonly number[] | string;

export interface EmbeddingsReply extends WholeReply {
  /** One for each input, in their order. */
  readonly vectors: readonly Vector[];
}

export type EmbeddingsForm = FormOf<EmbeddingsRequest, EmbeddingsReply>;
