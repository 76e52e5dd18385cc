// Descriptions of the surfaces' paths for the OpenAPI document, with the requests' schemas and examples.
import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../core/json/json.ts";
import { countSchema, messagesSchema } from "./anthropic-messages/schema.ts";
import { batchEmbedSchema, embedSchema } from "./gemini/embeddings.ts";
import { countSchema as geminiCountSchema, generateSchema } from "./gemini/schema.ts";
import { interactionAnswerSchema, interactionEventSchema, interactionSchema } from "./interactions/schema.ts";
import { moderationRequestSchema } from "./moderations/surface.ts";
import { completionSchema } from "./openai-chat/answer-schema.ts";
import { chatRequestSchema } from "./openai-chat/schema.ts";
import { completionRequestSchema } from "./openai-completions/surface.ts";
import { embeddingsRequestSchema } from "./openai-embeddings/surface.ts";
import { imagesRequestSchema } from "./openai-images/surface.ts";
import { inputTokensSchema, responsesSchema } from "./openai-responses/schema.ts";
import { speechRequestSchema } from "./openai-speech/surface.ts";
import { transcriptionRequestSchema } from "./openai-transcriptions/surface.ts";
import { rerankRequestSchema } from "./rerank/surface.ts";

export interface Description {
  /** The heading that the document lists the routes under. Missing for "Beyond chat". */
  readonly tag?: string;
  readonly summary: string;
  /** The schema that the surface checks the body against. */
  readonly schema: TSchema;
  /** A body that works. Missing if the body is always a form. */
  readonly example?: JsonObject;
  /** The form's file fields besides the schema's. Missing if the body is always JSON. */
  readonly files?: readonly string[];
  /** True if optional fields may be null, which means the same as missing. */
  readonly takesNulls?: boolean;
  /** A sentence on the body of a 200 response. */
  readonly answer: string;
  readonly answerSchema?: TSchema;
  /** The data of a stream's events. */
  readonly eventSchema?: TSchema;
  /** The answer's media type if it isn't JSON. */
  readonly answerType?: string;
  /** True if the answer may be sent as server-sent events. */
  readonly streams?: boolean;
  /** True if it only counts tokens, without calling a provider. */
  readonly counts?: boolean;
}

/** By the name of a field whose schema has no description. Each means the same on every surface that has it. */
export const FIELD_NOTES: Readonly<Record<string, string>> = {
  suffix: "The text after the gap.",
  max_tokens: "The most tokens of an answer.",
  best_of: "The number of completions to choose the best from.",
  dimensions: "The length of an embedding, if the model offers several.",
  size: "Such as 1024x1024, 1536x1024 or 1024x1536.",
  n: "The number of answers.",
  output_compression: "In percent.",
  voice: "The provider's name for the voice.",
  speed: "1 is the usual speed.",
  top_n: "The number of documents to return.",
  language: "The language spoken, such as en.",
};

const TEXTS = ["a first text", "another one"];
const HELLO = [{ role: "user", content: "Hello!" }];
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

const GENERATE: Description = {
  tag: "Gemini",
  summary: "Generate content, in Gemini's format",
  schema: generateSchema,
  example: CONTENTS,
  answer: "The candidates and the usage.",
};

const EMBED = { tag: "Gemini", answer: "The embeddings and the usage." };
const EMBEDDED = { content: { parts: [{ text: "a text" }] } };

const CREATE_IMAGE: Description = {
  summary: "Create images from a prompt",
  schema: imagesRequestSchema,
  takesNulls: true,
  example: { model: "OpenAI#gpt-image-2", prompt: "a siamese cat" },
  answer: "The images and the usage, or with `stream: true` its events.",
  streams: true,
};

const CREATE_TRANSCRIPTION: Description = {
  summary: "Transcribe an audio file",
  schema: transcriptionRequestSchema,
  files: ["file"],
  answer: "The transcript, or with `stream: true` its events. With some `response_format`s it is plain text.",
  answerSchema: Type.Object({ text: Type.String() }),
};

/** By the operation's id in the document, which for Gemini is also the verb after the model in the path. */
export const DESCRIPTIONS = {
  createChatCompletion: {
    tag: "Chat",
    summary: "Create a chat completion",
    schema: chatRequestSchema,
    takesNulls: true,
    example: { model: "Router#fair", messages: HELLO },
    answer: "The completion, or with `stream: true` its chunks as server-sent events up to `data: [DONE]`.",
    answerSchema: completionSchema,
    streams: true,
  },
  createCompletion: {
    summary: "Complete a text (legacy)",
    schema: completionRequestSchema,
    takesNulls: true,
    example: { model: "Mistral#codestral-latest", prompt: "def fib(n):", max_tokens: 64 },
    answer: "The completion, or with `stream: true` its events up to `data: [DONE]`.",
    streams: true,
  },
  createMessage: {
    tag: "Messages",
    summary: "Create a message, in Anthropic's format",
    schema: messagesSchema,
    example: { model: "Router#best", max_tokens: 1024, messages: HELLO },
    answer: "The message, or with `stream: true` its events up to `message_stop`.",
    streams: true,
  },
  countMessageTokens: {
    tag: "Messages",
    summary: "Count the tokens of a message's prompt, for free",
    schema: countSchema,
    example: { model: "Router#best", messages: HELLO },
    answer: "The estimate, as `input_tokens`.",
    counts: true,
  },
  createResponse: {
    tag: "Responses",
    summary: "Create a response, in the format of OpenAI's Responses API",
    schema: responsesSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The response, or with `stream: true` its events up to `response.completed`.",
    streams: true,
  },
  countResponseTokens: {
    tag: "Responses",
    summary: "Count the tokens of a response's input, for free",
    schema: inputTokensSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The estimate, as `input_tokens`.",
    counts: true,
  },
  compactResponse: {
    tag: "Responses",
    summary: "Compact a conversation to a summary that the next request begins with",
    schema: responsesSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer:
      "The next request's input, as `output`: the user's own messages and the sealed summary of all else.",
  },
  rerank: {
    summary: "Rank documents by their relevance to a query",
    schema: rerankRequestSchema,
    example: { model: "Cohere#rerank-v3.5", query: "What is first?", documents: TEXTS },
    answer: "The documents' indexes and scores, best first, and the usage.",
  },
  createModeration: {
    summary: "Classify texts and images for moderation",
    schema: moderationRequestSchema,
    example: { model: "OpenAI#omni-moderation-latest", input: TEXTS },
    answer: "A result for each input, with the provider's categories.",
  },
  createEmbeddings: {
    summary: "Create embeddings",
    schema: embeddingsRequestSchema,
    takesNulls: true,
    example: { model: "OpenAI#text-embedding-3-small", input: TEXTS },
    answer: "An embedding for each input, and the usage.",
  },
  createImage: CREATE_IMAGE,
  editImage: {
    ...CREATE_IMAGE,
    summary: "Edit images, sent as form files or as URLs",
    example: { ...CREATE_IMAGE.example, images: [{ image_url: "https://example.com/cat.png" }] },
    files: ["image", "mask", "markup"],
  },
  createSpeech: {
    summary: "Create speech from a text",
    schema: speechRequestSchema,
    takesNulls: true,
    example: { model: "OpenAI#tts-1", input: "Good morning.", voice: "nova" },
    answer: "The audio as it is generated, or with `stream_format: sse` its events.",
    answerType: "audio/*",
  },
  createTranscription: CREATE_TRANSCRIPTION,
  createTranslation: {
    ...CREATE_TRANSCRIPTION,
    summary: "Translate an audio file into English text",
  },
  createInteraction: {
    tag: "Interactions",
    summary: "Create an interaction, in the format of Google's Interactions API",
    schema: interactionSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The interaction, or with `stream: true` its events up to `interaction.completed` and `[DONE]`.",
    answerSchema: interactionAnswerSchema,
    eventSchema: interactionEventSchema,
    streams: true,
  },
  generateContent: GENERATE,
  streamGenerateContent: {
    ...GENERATE,
    summary: "Stream generated content: as events with `?alt=sse`, otherwise as one JSON array",
    streams: true,
  },
  countTokens: {
    ...GENERATE,
    summary: "Count a prompt's tokens, for free",
    schema: geminiCountSchema,
    answer: "The estimate, as `totalTokens`.",
    counts: true,
  },
  embedContent: {
    ...EMBED,
    summary: "Create an embedding, in Gemini's format",
    schema: embedSchema,
    example: EMBEDDED,
  },
  batchEmbedContents: {
    ...EMBED,
    summary: "Create several embeddings, in Gemini's format",
    schema: batchEmbedSchema,
    example: { requests: [EMBEDDED] },
  },
} satisfies Readonly<Record<string, Description>>;

export type OperationId = keyof typeof DESCRIPTIONS;
