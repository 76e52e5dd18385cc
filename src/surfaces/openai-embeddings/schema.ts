// OpenAI's embeddings request as a TypeBox schema: the fields that are read, and their bounds.
import { Type } from "@sinclair/typebox";
import { INPUT_TYPES, TRUNCATIONS } from "../../operations/embeddings/form.ts";
import { checkChoice } from "../bounds.ts";

/** OpenAI API reference, "Create embeddings". */
export const INPUTS_MAX = 2048;
const TOKEN_MAX = 2 ** 31 - 1;
const DIMENSIONS_MAX = 65_536;

const text = Type.String({ minLength: 1 });
const tokens = Type.Array(Type.Integer({ minimum: 0, maximum: TOKEN_MAX }), { minItems: 1 });

const dimensions = Type.Integer({ minimum: 1, maximum: DIMENSIONS_MAX });

export const embeddingsRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    input: Type.Union([
      text,
      Type.Array(text, { minItems: 1, maxItems: INPUTS_MAX }),
      tokens,
      Type.Array(tokens, { minItems: 1, maxItems: INPUTS_MAX }),
    ]),
    dimensions: Type.Optional(dimensions),
    /** Mistral's and Voyage's name for it. */
    output_dimension: Type.Optional(dimensions),
    encoding_format: Type.Optional(checkChoice("float", "base64")),
    input_type: Type.Optional(checkChoice(...INPUT_TYPES)),
    truncate: Type.Optional(checkChoice(...TRUNCATIONS)),
    /** Voyage's: the end of a long text is cut off, or nothing is. */
    truncation: Type.Optional(Type.Boolean()),
    /** Vectors of bytes or bits have no place in the answer. */
    output_dtype: Type.Optional(checkChoice("float")),
  },
  { additionalProperties: true },
);
