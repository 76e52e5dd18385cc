// OpenAI's embeddings API.
import { Type } from "@sinclair/typebox";
import { omitUndefined } from "../../core/json/json.ts";
import {
  type EmbeddingsForm,
  type EmbeddingsRequest,
  INPUT_TYPES,
  TRUNCATIONS,
} from "../../operations/embeddings/form.ts";
import { EMBEDDINGS, refuseManyTokens } from "../../operations/embeddings/operation.ts";
import { toBase64, toFloats } from "../../operations/embeddings/vector.ts";
import { checkChoice, modelName, openObject } from "../bounds.ts";
import { writePromptUsage } from "../cost.ts";
import { makeWholeSurface } from "../openai-surface.ts";
import type { Surface } from "../surface.ts";
import { listTextInputs } from "../text-inputs.ts";

/** OpenAI API reference, "Create embeddings". */
const INPUTS_MAX = 2048;
const TOKEN_MAX = 2 ** 31 - 1;
const DIMENSIONS_MAX = 65_536;

const text = Type.String({ minLength: 1 });
const tokens = Type.Array(Type.Integer({ minimum: 0, maximum: TOKEN_MAX }), { minItems: 1 });

const dimensions = Type.Integer({ minimum: 1, maximum: DIMENSIONS_MAX });

export const embeddingsRequestSchema = openObject({
  model: modelName,
  input: Type.Union([
    text,
    Type.Array(text, { minItems: 1, maxItems: INPUTS_MAX }),
    tokens,
    Type.Array(tokens, { minItems: 1, maxItems: INPUTS_MAX }),
  ]),
  dimensions: Type.Optional(dimensions),
  /** Mistral's and Voyage's name for `dimensions`. */
  output_dimension: Type.Optional(dimensions),
  encoding_format: Type.Optional(checkChoice("float", "base64")),
  input_type: Type.Optional(checkChoice(...INPUT_TYPES)),
  truncate: Type.Optional(checkChoice(...TRUNCATIONS)),
  /** Voyage's field: true cuts off the end of a long text, false nothing. */
  truncation: Type.Optional(Type.Boolean()),
  /** The answer has no form for vectors of bytes or bits. */
  output_dtype: Type.Optional(checkChoice("float")),
});

export const OPENAI_EMBEDDINGS: Surface<EmbeddingsForm> = makeWholeSurface({
  name: "openai-embeddings",
  operation: EMBEDDINGS,
  idPrefix: "embd-",
  schema: embeddingsRequestSchema,
  list: "input",
  read(given, extras) {
    const { model, input, encoding_format, input_type, truncate, truncation } = given;
    const truncated = truncation === undefined ? undefined : truncation ? "end" : "none";
    const ask: EmbeddingsRequest = omitUndefined({
      model,
      inputs: listTextInputs(input),
      encoding: encoding_format ?? "float",
      dimensions: given.dimensions ?? given.output_dimension,
      inputType: input_type,
      truncation: truncate ?? truncated,
      extras,
    });
    refuseManyTokens(ask, "input");
    return ask;
  },
  nameFields: ({ dimensions, output_dimension, truncate, truncation }) => ({
    ...(dimensions === undefined && output_dimension !== undefined ? { dimensions: "output_dimension" } : {}),
    ...(truncate === undefined && truncation !== undefined ? { truncate: "truncation" } : {}),
  }),
  write({ vectors, usage }, { model }, { encoding }) {
    const write = encoding === "base64" ? toBase64 : toFloats;
    return {
      object: "list",
      data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) })),
      model,
      usage: writePromptUsage(usage),
    };
  },
});
