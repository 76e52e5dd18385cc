// The words of the surfaces' paths in the OpenAPI document, with the schemas that requests are read by, and examples.
import { Type } from "@sinclair/typebox";
import { countSchema, messagesSchema } from "./anthropic-messages/schema.ts";
import type { Description } from "./description.ts";
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

const TEXTS = ["a first text", "another one"];
const HELLO = [{ role: "user", content: "Hello!" }];
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

export const CREATE_CHAT_COMPLETION: Description = {
  tag: "Chat",
  operationId: "createChatCompletion",
  summary: "Create a chat completion",
  schema: chatRequestSchema,
  takesNulls: true,
  example: { model: "Router#fair", messages: HELLO },
  answer: "The completion, or with `stream: true` its chunks as server-sent events up to `data: [DONE]`.",
  answerSchema: completionSchema,
  streams: true,
};

export const CREATE_COMPLETION: Description = {
  tag: "Beyond chat",
  operationId: "createCompletion",
  summary: "Go on with a text (legacy)",
  schema: completionRequestSchema,
  takesNulls: true,
  example: { model: "Mistral#codestral-latest", prompt: "def fib(n):", max_tokens: 64 },
  answer: "The texts, or with `stream: true` their events up to `data: [DONE]`.",
  streams: true,
};

export const CREATE_MESSAGE: Description = {
  tag: "Messages",
  operationId: "createMessage",
  summary: "Create a message, in Anthropic's form",
  schema: messagesSchema,
  example: { model: "Router#best", max_tokens: 1024, messages: HELLO },
  answer: "The message, or with `stream: true` its events up to `message_stop`.",
  streams: true,
};

export const COUNT_MESSAGE_TOKENS: Description = {
  tag: "Messages",
  operationId: "countMessageTokens",
  summary: "Estimate the tokens of a message's prompt; costs nothing",
  schema: countSchema,
  example: { model: "Router#best", messages: HELLO },
  answer: "The estimate, as `input_tokens`.",
  counts: true,
};

export const CREATE_RESPONSE: Description = {
  tag: "Responses",
  operationId: "createResponse",
  summary: "Create a response, in the form of OpenAI's Responses",
  schema: responsesSchema,
  example: { model: "Router#best", input: "Hello!" },
  answer: "The response, or with `stream: true` its events up to `response.completed`.",
  streams: true,
};

export const COUNT_RESPONSE_TOKENS: Description = {
  tag: "Responses",
  operationId: "countResponseTokens",
  summary: "Estimate the tokens of a response's input; costs nothing",
  schema: inputTokensSchema,
  example: { model: "Router#best", input: "Hello!" },
  answer: "The estimate, as `input_tokens`.",
  counts: true,
};

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

export const RANK_DOCUMENTS: Description = {
  tag: "Beyond chat",
  operationId: "rerank",
  summary: "Put documents in the order of their relevance to a query",
  schema: rerankRequestSchema,
  example: { model: "Cohere#rerank-v3.5", query: "What is first?", documents: TEXTS },
  answer: "The documents' places and scores, the best first, and the usage.",
};

export const CREATE_MODERATION: Description = {
  tag: "Beyond chat",
  operationId: "createModeration",
  summary: "Judge texts and images by categories",
  schema: moderationRequestSchema,
  example: { model: "OpenAI#omni-moderation-latest", input: TEXTS },
  answer: "A verdict for each input, with the provider's categories.",
};

export const CREATE_EMBEDDINGS: Description = {
  tag: "Beyond chat",
  operationId: "createEmbeddings",
  summary: "Make vectors of texts",
  schema: embeddingsRequestSchema,
  takesNulls: true,
  example: { model: "OpenAI#text-embedding-3-small", input: TEXTS },
  answer: "A vector for each text, and the usage.",
};

export const CREATE_IMAGE: Description = {
  tag: "Beyond chat",
  operationId: "createImage",
  summary: "Make pictures from a text",
  schema: imagesRequestSchema,
  takesNulls: true,
  example: { model: "OpenAI#gpt-image-2", prompt: "a siamese cat" },
  answer: "The pictures and the usage, or with `stream: true` its events.",
  streams: true,
};

export const EDIT_IMAGE: Description = {
  ...CREATE_IMAGE,
  operationId: "editImage",
  summary: "Change pictures, which come as a form's files or as addresses",
  example: { ...CREATE_IMAGE.example, images: [{ image_url: "https://example.com/cat.png" }] },
  files: ["image", "mask"],
};

export const CREATE_SPEECH: Description = {
  tag: "Beyond chat",
  operationId: "createSpeech",
  summary: "Read a text aloud",
  schema: speechRequestSchema,
  takesNulls: true,
  example: { model: "OpenAI#tts-1", input: "Good morning.", voice: "nova" },
  answer: "The sound as it is made, or with `stream_format: sse` its events.",
  answerType: "audio/*",
};

export const CREATE_TRANSCRIPTION: Description = {
  tag: "Beyond chat",
  operationId: "createTranscription",
  summary: "Write down what is said in a sound file",
  schema: transcriptionRequestSchema,
  files: ["file"],
  answer: "The text, or with `stream: true` its events; other `response_format`s than JSON are texts.",
  answerSchema: Type.Object({ text: Type.String() }),
};

export const CREATE_TRANSLATION: Description = {
  ...CREATE_TRANSCRIPTION,
  operationId: "createTranslation",
  summary: "Write down in English what is said in a sound file",
};
