// OpenAI's moderation request as a TypeBox schema: the fields that are read, and their bounds.
import { Type } from "@sinclair/typebox";
import { checkChoice } from "../bounds.ts";

const INPUTS_MAX = 2048;

const textPart = Type.Object({ type: checkChoice("text"), text: Type.String() });
const imagePart = Type.Object({
  type: checkChoice("image_url"),
  image_url: Type.Object({ url: Type.String({ minLength: 1 }) }, { additionalProperties: true }),
});

export const moderationRequestSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.Union([Type.String(), textPart, imagePart]), { minItems: 1, maxItems: INPUTS_MAX }),
    ]),
  },
  { additionalProperties: true },
);
