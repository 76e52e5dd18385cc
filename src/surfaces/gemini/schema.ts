// The bounds of a generateContent request (Gemini API reference, "models.generateContent"). Unknown fields pass.
import { Type } from "@sinclair/typebox";
import { countFrom, openObject } from "../bounds.ts";

const part = openObject({ text: Type.Optional(Type.String()) });
const content = openObject({
  role: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Union([Type.Array(part), part])),
});
const tool = openObject({ functionDeclarations: Type.Optional(Type.Array(openObject({}))) });

const shared = {
  contents: Type.Optional(Type.Union([Type.String(), Type.Array(content), content])),
  systemInstruction: Type.Optional(Type.Union([Type.String(), content])),
  tools: Type.Optional(Type.Array(tool, { maxItems: 1024 })),
};

export const generateSchema = openObject({
  ...shared,
  contents: Type.Array(content, { minItems: 1 }),
  toolConfig: Type.Optional(openObject({})),
  generationConfig: Type.Optional(
    openObject({
      temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
      topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      topK: Type.Optional(Type.Number({ minimum: 0 })),
      candidateCount: Type.Optional(countFrom(1)),
      maxOutputTokens: Type.Optional(countFrom(1)),
      stopSequences: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
      seed: Type.Optional(Type.Integer()),
      presencePenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
      frequencyPenalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
      responseMimeType: Type.Optional(Type.String()),
      thinkingConfig: Type.Optional(openObject({})),
    }),
  ),
});

export const countSchema = openObject(shared);
