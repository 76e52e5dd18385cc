// The OpenAPI operations of embeddings, rerank and moderation.
import type { TSchema } from "@sinclair/typebox";
import type { OpenAPIV3 } from "openapi-types";
import { moderationRequestSchema } from "../surfaces/moderations/schema.ts";
import { embeddingsRequestSchema } from "../surfaces/openai-embeddings/schema.ts";
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

const texts = ["a first text", "another one"];

export const VECTOR_DETAILS: Readonly<Record<string, OpenAPIV3.OperationObject>> = {
  "POST /v1/embeddings": describe(
    "Make vectors of texts",
    "createEmbeddings",
    { schema: embeddingsRequestSchema, example: { model: "OpenAI#text-embedding-3-small", input: texts } },
    "A vector for each text, and the usage.",
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
