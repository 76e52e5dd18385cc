// The types of the embeddings operation.
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

/** A text or its token ids. */
export type EmbeddingInput = string | readonly number[];

export const INPUT_TYPES = ["query", "document", "classification", "clustering"] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** The end at which texts that are too long for the model are cut: the end, the start, or neither. */
export const TRUNCATIONS = ["none", "start", "end"] as const;
type Truncation = (typeof TRUNCATIONS)[number];

export interface EmbeddingsRequest extends OpenAsk {
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** The format in which the client wants the vectors. */
  readonly encoding: "float" | "base64";
  /** The length of the vectors. Defaults to the model's own. */
  readonly dimensions?: number;
  readonly inputType?: InputType;
  readonly truncation?: Truncation;
  /** Google's task type, which is more specific than `inputType`. */
  readonly task?: string;
  /** The title of the documents that the texts belong to. */
  readonly title?: string;
}

/** A vector as received: numbers, or base64 of little-endian 32-bit floats. */
export type Vector = readonly number[] | string;

export interface EmbeddingsReply extends WholeReply {
  /** One per input, in order. */
  readonly vectors: readonly Vector[];
}

export type EmbeddingsForm = WholeReplyForm<EmbeddingsRequest, EmbeddingsReply>;
