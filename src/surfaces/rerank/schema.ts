// The rerank request as a TypeBox schema: the fields that are read, and their bounds.
import { Type } from "@sinclair/typebox";

/** Cohere's and Voyage's limit. */
export const DOCUMENTS_MAX = 1000;
const RANK_FIELDS_MAX = 64;
const TOKENS_MAX = 1_000_000;

export const rerankRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })]), {
      minItems: 1,
      maxItems: DOCUMENTS_MAX,
    }),
    top_n: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Voyage's name for it. */
    top_k: Type.Optional(Type.Integer({ minimum: 1 })),
    return_documents: Type.Optional(Type.Boolean()),
    max_tokens_per_doc: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKENS_MAX })),
    rank_fields: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: RANK_FIELDS_MAX })),
  },
  { additionalProperties: true },
);
