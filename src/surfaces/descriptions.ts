// Descriptions of the surfaces' paths for the OpenAPI document, with the requests' schemas and examples.
import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../core/json.ts";
import { countSchema, messagesSchema } from "./anthropic-messages/schema.ts";
import { batchEmbedSchema, embedSchema } from "./gemini/embeddings.ts";
import { countSchema as geminiCountSchema, generateSchema } from "./gemini/schema.ts";
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
  /** The heading that the document lists the routes under. */
  readonly tag: string;
  readonly operationId: string;
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
  /** The answer's media type if it isn't JSON. */
  readonly answerType?: string;
  /** True if the answer may be sent as server-sent events. */
  readonly streams?: boolean;
  /** True if it only counts tokens, without calling a provider. */
  readonly counts?: boolean;
  /** The end of a path whose wildcard is a model's id, such as `:countTokens`. */
  readonly verb?: string;
}

const TEXTS = ["a first text", "another one"];
const HELLO = [{ role: "user", content: "Hello!" }];
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

const GENERATE: Description = {
  tag: "Gemini",
  operationId: "generateContent",
  summary: "Generate content, in Gemini's form",
  schema: generateSchema,
  example: CONTENTS,
  answer: "The candidates and the usage.",
  verb: ":generateContent",
};

const EMBED = { tag: "Gemini", answer: "The vectors and the usage." };
const EMBEDDED = { content: { parts: [{ text: "a text" }] } };

const CREATE_IMAGE: Description = {
  tag: "Beyond chat",
  operationId: "createImage",
  summary: "Make pictures from a text",
  schema: imagesRequestSchema,
  takesNulls: true,
  example: { model: "OpenAI#gpt-image-2", prompt: "a siamese cat" },
  answer: "The pictures and the usage, or with `stream: true` its events.",
  streams: true,
};

const CREATE_TRANSCRIPTION: Description = {
  tag: "Beyond chat",
  operationId: "createTranscription",
  summary: "Write down what is said in a sound file",
  schema: transcriptionRequestSchema,
  files: ["file"],
  answer: "The text, or with `stream: true` its events; other `response_format`s than JSON are texts.",
  answerSchema: Type.Object({ text: Type.String() }),
};

export const GEMINI_VERBS: readonly Description[] = [
  GENERATE,
  {
    ...GENERATE,
    operationId: "streamGenerateContent",
    summary: "Generate content as a stream: events with `?alt=sse`, else one JSON array",
    verb: ":streamGenerateContent",
    streams: true,
  },
  {
    ...GENERATE,
    operationId: "countTokens",
    summary: "Estimate a prompt's tokens; costs nothing",
    schema: geminiCountSchema,
    answer: "The estimate, as `totalTokens`.",
    verb: ":countTokens",
    counts: true,
  },
  {
    ...EMBED,
    operationId: "embedContent",
    summary: "Make a vector of a text, in Gemini's form",
    schema: embedSchema,
    example: EMBEDDED,
    verb: ":embedContent",
  },
  {
    ...EMBED,
    operationId: "batchEmbedContents",
    summary: "Make vectors of texts, in Gemini's form",
    schema: batchEmbedSchema,
    example: { requests: [EMBEDDED] },
    verb: ":batchEmbedContents",
  },
];

export const DESCRIPTIONS = {
  createChatCompletion: {
    tag: "Chat",
    operationId: "createChatCompletion",
    summary: "Create a chat completion",
    schema: chatRequestSchema,
    takesNulls: true,
    example: { model: "Router#fair", messages: HELLO },
    answer: "The completion, or with `stream: true` its chunks as server-sent events up to `data: [DONE]`.",
    answerSchema: completionSchema,
    streams: true,
  },
  createCompletion: {
    tag: "Beyond chat",
    operationId: "createCompletion",
    summary: "Go on with a text (legacy)",
    schema: completionRequestSchema,
    takesNulls: true,
    example: { model: "Mistral#codestral-latest", prompt: "def fib(n):", max_tokens: 64 },
    answer: "The texts, or with `stream: true` their events up to `data: [DONE]`.",
    streams: true,
  },
  createMessage: {
    tag: "Messages",
    operationId: "createMessage",
    summary: "Create a message, in Anthropic's form",
    schema: messagesSchema,
    example: { model: "Router#best", max_tokens: 1024, messages: HELLO },
    answer: "The message, or with `stream: true` its events up to `message_stop`.",
    streams: true,
  },
  countMessageTokens: {
    tag: "Messages",
    operationId: "countMessageTokens",
    summary: "Estimate the tokens of a message's prompt; costs nothing",
    schema: countSchema,
    example: { model: "Router#best", messages: HELLO },
    answer: "The estimate, as `input_tokens`.",
    counts: true,
  },
  createResponse: {
    tag: "Responses",
    operationId: "createResponse",
    summary: "Create a response, in the form of OpenAI's Responses",
    schema: responsesSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The response, or with `stream: true` its events up to `response.completed`.",
    streams: true,
  },
  countResponseTokens: {
    tag: "Responses",
    operationId: "countResponseTokens",
    summary: "Estimate the tokens of a response's input; costs nothing",
    schema: inputTokensSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The estimate, as `input_tokens`.",
    counts: true,
  },
  rerank: {
    tag: "Beyond chat",
    operationId: "rerank",
    summary: "Put documents in the order of their relevance to a query",
    schema: rerankRequestSchema,
    example: { model: "Cohere#rerank-v3.5", query: "What is first?", documents: TEXTS },
    answer: "The documents' places and scores, the best first, and the usage.",
  },
  createModeration: {
    tag: "Beyond chat",
    operationId: "createModeration",
    summary: "Judge texts and images by categories",
    schema: moderationRequestSchema,
    example: { model: "OpenAI#omni-moderation-latest", input: TEXTS },
    answer: "A verdict for each input, with the provider's categories.",
  },
  createEmbeddings: {
    tag: "Beyond chat",
    operationId: "createEmbeddings",
    summary: "Make vectors of texts",
    schema: embeddingsRequestSchema,
    takesNulls: true,
    example: { model: "OpenAI#text-embedding-3-small", input: TEXTS },
    answer: "A vector for each text, and the usage.",
  },
  createImage: CREATE_IMAGE,
  editImage: {
    ...CREATE_IMAGE,
    operationId: "editImage",
    summary: "Change pictures, which come as a form's files or as addresses",
    example: { ...CREATE_IMAGE.example, images: [{ image_url: "https://example.com/cat.png" }] },
    files: ["image", "mask"],
  },
  createSpeech: {
    tag: "Beyond chat",
    operationId: "createSpeech",
    summary: "Read a text aloud",
    schema: speechRequestSchema,
    takesNulls: true,
    example: { model: "OpenAI#tts-1", input: "Good morning.", voice: "nova" },
    answer: "The sound as it is made, or with `stream_format: sse` its events.",
    answerType: "audio/*",
  },
  createTranscription: CREATE_TRANSCRIPTION,
  createTranslation: {
    ...CREATE_TRANSCRIPTION,
    operationId: "createTranslation",
    summary: "Write down in English what is said in a sound file",
  },
} satisfies Readonly<Record<string, Description>>;
