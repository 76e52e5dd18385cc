// The OpenAPI operations of the routes in the forms of Anthropic, of OpenAI's Responses and of Google.
import type { TSchema } from "@sinclair/typebox";
import type { OpenAPIV3 } from "openapi-types";
import { countSchema, messagesSchema } from "../surfaces/anthropic-messages/schema.ts";
import { batchEmbedSchema, embedSchema } from "../surfaces/gemini/embeddings.ts";
import { countSchema as geminiCountSchema, generateSchema } from "../surfaces/gemini/schema.ts";
import { inputTokensSchema, responsesSchema } from "../surfaces/openai-responses/schema.ts";
import { failures, jsonBody, secured, text } from "./openapi.ts";

const ANSWERED = [400, 401, 402, 403, 404, 413, 415, 429, 502, 503, 504] as const;
const COUNTED = [400, 401, 404, 413, 415, 429] as const;
const record = { type: "object" } as const;

interface Described {
  readonly summary: string;
  readonly operationId: string;
  readonly schema: TSchema;
  readonly example: object;
  readonly answer: string;
  /** False: only tokens are counted. */
  readonly isAnswered: boolean;
  /** False: its answers never stream; left out: they may. */
  readonly isStreamed?: boolean;
}

function describe(tag: string, one: Described): OpenAPIV3.OperationObject {
  const { isAnswered, isStreamed = isAnswered } = one;
  const stream = { "text/event-stream": { schema: { ...text, description: "The API's own events." } } };
  return {
    summary: one.summary,
    tags: [tag],
    operationId: one.operationId,
    ...secured,
    requestBody: { required: true, content: jsonBody(one.schema, one.example) },
    responses: {
      200: {
        description: one.answer,
        content: { ...jsonBody(record), ...(isStreamed ? stream : {}) },
      },
      ...failures(...(isAnswered ? ANSWERED : COUNTED)),
    },
  };
}

const HELLO = [{ role: "user", content: "Hello!" }];

export const SURFACE_DETAILS: Readonly<Record<string, OpenAPIV3.OperationObject>> = {
  "POST /v1/messages": describe("Messages", {
    summary: "Create a message, in Anthropic's form",
    operationId: "createMessage",
    schema: messagesSchema,
    example: { model: "Router#best", max_tokens: 1024, messages: HELLO },
    answer: "The message, or with `stream: true` its events up to `message_stop`.",
    isAnswered: true,
  }),
  "POST /v1/messages/count_tokens": describe("Messages", {
    summary: "Estimate the tokens of a message's prompt; costs nothing",
    operationId: "countMessageTokens",
    schema: countSchema,
    example: { model: "Router#best", messages: HELLO },
    answer: "The estimate, as `input_tokens`.",
    isAnswered: false,
  }),
  "POST /v1/responses": describe("Responses", {
    summary: "Create a response, in the form of OpenAI's Responses",
    operationId: "createResponse",
    schema: responsesSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The response, or with `stream: true` its events up to `response.completed`.",
    isAnswered: true,
  }),
  "POST /v1/responses/input_tokens": describe("Responses", {
    summary: "Estimate the tokens of a response's input; costs nothing",
    operationId: "countResponseTokens",
    schema: inputTokensSchema,
    example: { model: "Router#best", input: "Hello!" },
    answer: "The estimate, as `input_tokens`.",
    isAnswered: false,
  }),
  "GET /v1/responses/:id": describeStored("Retrieve a response", "retrieveResponse"),
  "DELETE /v1/responses/:id": describeStored("Delete a response", "deleteResponse"),
  "GET /v1/responses/:id/input_items": describeStored("List a response's input", "listResponseInput"),
  "GET /v1beta/models": {
    summary: "List the models, in Google's form",
    tags: ["Gemini"],
    operationId: "listGeminiModels",
    ...secured,
    responses: {
      200: { description: "The models that this key can use.", content: jsonBody(record) },
      ...failures(401),
    },
  },
};

function describeStored(summary: string, operationId: string): OpenAPIV3.OperationObject {
  const parameters = [{ name: "id", in: "path", required: true, schema: text }];
  const responses = { ...failures(401), 404: { description: "Responses are not kept." } };
  return { summary, tags: ["Responses"], operationId, ...secured, parameters, responses };
}

const modelParameter: OpenAPIV3.ParameterObject = {
  name: "id",
  in: "path",
  required: true,
  schema: text,
  description: "`Provider/model`, or percent-encoded: `Router%23best`.",
};

function describeVerb(summary: string, operationId: string, isAnswered: boolean): OpenAPIV3.PathItemObject {
  const schema = isAnswered ? generateSchema : geminiCountSchema;
  const example = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };
  const answer = isAnswered ? "The candidates and the usage." : "The estimate, as `totalTokens`.";
  const detail = describe("Gemini", { summary, operationId, schema, example, answer, isAnswered });
  return { post: { ...detail, parameters: [modelParameter] } };
}

function describeEmbed(summary: string, operationId: string, schema: TSchema, example: object) {
  const answer = "The vectors and the usage.";
  const one = { summary, operationId, schema, example, answer, isAnswered: true, isStreamed: false };
  return { post: { ...describe("Gemini", one), parameters: [modelParameter] } };
}

const EMBEDDED = { content: { parts: [{ text: "a text" }] } };
const embedPaths: OpenAPIV3.PathsObject = {
  "/v1beta/models/{id}:embedContent": describeEmbed(
    "Make a vector of a text, in Gemini's form",
    "embedContent",
    embedSchema,
    EMBEDDED,
  ),
  "/v1beta/models/{id}:batchEmbedContents": describeEmbed(
    "Make vectors of texts, in Gemini's form",
    "batchEmbedContents",
    batchEmbedSchema,
    { requests: [EMBEDDED] },
  ),
};

/** The id and the verb share a segment of the path, which a wildcard takes: these are described by hand. */
export const surfacePaths: OpenAPIV3.PathsObject = {
  "/v1beta/models/{id}": {
    get: {
      summary: "One model, in Google's form",
      tags: ["Gemini"],
      operationId: "retrieveGeminiModel",
      ...secured,
      parameters: [modelParameter],
      responses: { 200: { description: "The model.", content: jsonBody(record) }, ...failures(401, 404) },
    },
  },
  "/v1beta/models/{id}:generateContent": describeVerb(
    "Generate content, in Gemini's form",
    "generateContent",
    true,
  ),
  "/v1beta/models/{id}:streamGenerateContent": describeVerb(
    "Generate content as a stream: events with `?alt=sse`, else one JSON array",
    "streamGenerateContent",
    true,
  ),
  ...embedPaths,
  "/v1beta/models/{id}:countTokens": describeVerb(
    "Estimate a prompt's tokens; costs nothing",
    "countTokens",
    false,
  ),
};
