// The OpenAPI operations of what is served beyond chat.
import { type TSchema, Type } from "@sinclair/typebox";
import type { OpenAPIV3 } from "openapi-types";
import { moderationRequestSchema } from "../surfaces/moderations/schema.ts";
import { completionRequestSchema } from "../surfaces/openai-completions/schema.ts";
import { embeddingsRequestSchema } from "../surfaces/openai-embeddings/schema.ts";
import { imagesRequestSchema } from "../surfaces/openai-images/schema.ts";
import { speechRequestSchema } from "../surfaces/openai-speech/surface.ts";
import { transcriptionRequestSchema } from "../surfaces/openai-transcriptions/surface.ts";
import { rerankRequestSchema } from "../surfaces/rerank/schema.ts";
import { failures, jsonBody, secured } from "./openapi.ts";

function describe(
  summary: string,
  operationId: string,
  body: { readonly schema: TSchema; readonly example: object },
  answer: string,
): OpenAPIV3.OperationObject {
  return {
    summary,
    tags: ["Beyond chat"],
    operationId,
    ...secured,
    requestBody: { required: true, content: jsonBody(body.schema, body.example) },
    responses: {
      200: { description: answer, content: jsonBody({ type: "object" }) },
      ...failures(400, 401, 402, 403, 404, 413, 415, 429, 502, 503, 504),
    },
  };
}

const prompt = "a siamese cat";

/** A request that is a form with a file. */
function describeForm(summary: string, operationId: string, answer: string): OpenAPIV3.OperationObject {
  const { properties } = transcriptionRequestSchema;
  const schema = Type.Object({ ...properties, file: Type.Unsafe({ type: "string", format: "binary" }) });
  const described = describe(summary, operationId, { schema, example: {} }, answer);
  const { "application/json": media = {} } = jsonBody(schema);
  return { ...described, requestBody: { required: true, content: { "multipart/form-data": media } } };
}

const texts = ["a first text", "another one"];

export const OPERATION_DETAILS: Readonly<Record<string, OpenAPIV3.OperationObject>> = {
  "POST /v1/embeddings": describe(
    "Make vectors of texts",
    "createEmbeddings",
    { schema: embeddingsRequestSchema, example: { model: "OpenAI#text-embedding-3-small", input: texts } },
    "A vector for each text, and the usage.",
  ),
  "POST /v1/completions": describe(
    "Complete a text, or fill in its middle",
    "createTextCompletion",
    {
      schema: completionRequestSchema,
      example: { model: "Mistral#codestral-latest", prompt: "def f(", suffix: "return x" },
    },
    "The completions, or with `stream: true` their pieces as server-sent events.",
  ),
  "POST /v1/images/generations": describe(
    "Make pictures",
    "createImage",
    { schema: imagesRequestSchema, example: { model: "OpenAI#gpt-image-2", prompt } },
    "The pictures, and the usage.",
  ),
  "POST /v1/images/edits": describe(
    "Change pictures, which come as a form's files or as addresses",
    "editImage",
    {
      schema: imagesRequestSchema,
      example: {
        model: "OpenAI#gpt-image-2",
        prompt,
        images: [{ image_url: "https://example.com/cat.png" }],
      },
    },
    "The pictures, and the usage.",
  ),
  "POST /v1/audio/speech": describe(
    "Speak a text",
    "createSpeech",
    {
      schema: speechRequestSchema,
      example: { model: "OpenAI#tts-1", input: "Good morning.", voice: "nova" },
    },
    "The sound.",
  ),
  "POST /v1/audio/transcriptions": describeForm(
    "Write down what is said in a sound file",
    "createTranscription",
    "The transcript, in the form that was asked for.",
  ),
  "POST /v1/audio/translations": describeForm(
    "Write down in English what is said in a sound file",
    "createTranslation",
    "The translation, in the form that was asked for.",
  ),
  "POST /v1/rerank": describe(
    "Put documents in the order of their relevance to a query",
    "rerank",
    {
      schema: rerankRequestSchema,
      example: { model: "Cohere#rerank-v3.5", query: "What is first?", documents: texts },
    },
    "The documents' places and scores, the best first, and the usage.",
  ),
  "POST /v1/moderations": describe(
    "Judge texts and images by categories",
    "createModeration",
    { schema: moderationRequestSchema, example: { model: "OpenAI#omni-moderation-latest", input: texts } },
    "A verdict for each input, with the provider's categories.",
  ),
};
