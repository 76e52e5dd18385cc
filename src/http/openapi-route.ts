// The OpenAPI operations of the selectors' own routes.
import type { OpenAPIV3 } from "openapi-types";
import { chatBody, failures, integer, jsonBody, secured, text } from "./openapi.ts";

const routeSchema = {
  type: "object",
  required: ["selector", "choice", "features", "candidates"],
  properties: {
    selector: text,
    choice: { ...text, nullable: true },
    features: {
      type: "object",
      properties: {
        categories: { type: "object" },
        difficulty: { type: "number" },
        output_tokens: integer,
        support: { type: "number" },
      },
    },
    candidates: {
      type: "array",
      items: {
        type: "object",
        properties: {
          model: text,
          eligible: { type: "boolean" },
          removed_by: {
            ...text,
            nullable: true,
            description: "Why it can't serve: denied, rule:coding, unpriced, a capability …",
          },
          quality: { type: "number" },
          quality_low: { type: "number" },
          cost_usd: { type: "number", nullable: true },
          latency_ms: { type: "number" },
          score: { type: "number" },
        },
      },
    },
  },
};

const routeDetail: OpenAPIV3.OperationObject = {
  summary: "What a selector would choose, and why; calls nobody",
  tags: ["Selectors"],
  operationId: "route",
  ...secured,
  requestBody: {
    required: true,
    content: chatBody,
  },
  responses: {
    200: { description: "The candidates, best first.", content: jsonBody(routeSchema) },
    ...failures(400, 401, 403, 404),
  },
};

const feedbackDetail: OpenAPIV3.OperationObject = {
  summary: "How good a completion was",
  tags: ["Selectors"],
  operationId: "feedback",
  ...secured,
  requestBody: {
    required: true,
    content: jsonBody({
      type: "object",
      required: ["id", "score"],
      properties: { id: text, score: { type: "number", minimum: 0, maximum: 1 } },
    }),
  },
  responses: {
    200: {
      description: "Taken; `learned` says whether the selectors learn from it.",
      content: jsonBody({ type: "object" }),
    },
    ...failures(400, 401, 404),
  },
};

export const ROUTE_DETAILS: Readonly<Record<string, OpenAPIV3.OperationObject>> = {
  "POST /v1/route": routeDetail,
  "POST /v1/feedback": feedbackDetail,
};
