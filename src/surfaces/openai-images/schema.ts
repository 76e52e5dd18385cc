// OpenAI's image request as a TypeBox schema: the fields that are read, and their bounds. Pictures are read beside it.
import { Type } from "@sinclair/typebox";
import { checkChoice } from "../bounds.ts";

/** OpenAI API reference, "Create image". Other servers have other words for sizes and qualities, so any are taken. */
const PROMPT_CHARACTERS_MAX = 100_000;
const word = Type.String({ minLength: 1, maxLength: 64 });

export const imagesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARACTERS_MAX }),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    size: Type.Optional(word),
    quality: Type.Optional(word),
    background: Type.Optional(word),
    output_format: Type.Optional(word),
    output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    moderation: Type.Optional(word),
    style: Type.Optional(word),
    response_format: Type.Optional(checkChoice("url", "b64_json")),
    input_fidelity: Type.Optional(word),
    stream: Type.Optional(Type.Boolean()),
    partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
  },
  { additionalProperties: true },
);
