// The bounds of a generateContent request (Gemini API reference, "models.generateContent"). Unknown fields pass.
import { Type } from "@sinclair/typebox";

const OPEN = { additionalProperties: true };
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

const part = Type.Object({ text: Type.Optional(Type.String()) }, OPEN);
const content = Type.Object(
  { role: Type.Optional(Type.String()), parts: Type.Optional(Type.Union([Type.Array(part), part])) },
  OPEN,
);
const tool = Type.Object({ functionDeclarations: Type.Optional(Type.Array(Type.Object({}, OPEN))) }, OPEN);

const shared = {
  contents: Type.Optional(Type.Union([Type.String(), Type.Array(content), content])),
  systemInstruction: Type.Optional(Type.Union([Type.String(), content])),
  tools: Type.Optional(Type.Array(tool, { maxItems: 1024 })),
};

export const generateSchema = Type.Object(
  {
    ...shared,
    contents: Type.Array(content, { minItems: 1 }),
    toolConfig: Type.Optional(Type.Object({}, OPEN)),
    generationConfig: Type.Optional(
      Type.Object(
        {
          temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
          topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
          topK: Type.Optional(Type.Number({ minimum: 0 })),
          candidateCount: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
          maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
          stopSequences: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
          seed: Type.Optional(Type.Integer()),
          presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
          frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
          responseMimeType: Type.Optional(Type.String()),
          thinkingConfig: Type.Optional(Type.Object({}, OPEN)),
        },
        OPEN,
      ),
    ),
  },
  OPEN,
);

export const countSchema = Type.Object(shared, OPEN);
