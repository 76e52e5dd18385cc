// The OpenAPI operations of the public routes: request, answers, and examples that work. Loaded with the page alone.
import type { OpenAPIV3 } from "openapi-types";
import { isObject } from "../core/json.ts";
import { chatRequestSchema } from "../surfaces/openai-chat/schema.ts";
import { inOpenApi, withOptionalNulls } from "./openapi-form.ts";

type Responses = Record<string, OpenAPIV3.ResponseObject>;
type Bodies = Record<string, OpenAPIV3.MediaTypeObject>;

/** Any JSON Schema of ours is one of OpenAPI's once `inOpenApi` has been over it. */
function isSchema(value: unknown): value is OpenAPIV3.SchemaObject {
  return isObject(value);
}

export function jsonBody(schema: unknown, example?: unknown): Bodies {
  const shown = inOpenApi(schema);
  const media = isSchema(shown) ? { schema: shown } : {};
  return { "application/json": example === undefined ? media : { ...media, example } };
}

export const text: OpenAPIV3.SchemaObject = { type: "string" };
export const integer = { type: "integer" };

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type"],
      properties: {
        message: text,
        type: text,
        param: { ...text, nullable: true },
        code: { ...text, nullable: true },
        reset_at: { ...text, description: "When a refused request would pass (429)." },
      },
    },
  },
};

const modelSchema = {
  type: "object",
  required: ["id", "object", "created", "owned_by"],
  properties: {
    id: { ...text, example: "OpenAI#gpt-5.4" },
    object: { type: "string", enum: ["model"] },
    created: integer,
    owned_by: text,
    context_window: { ...integer, nullable: true },
    max_output_tokens: { ...integer, nullable: true },
    pricing: { type: "object", nullable: true, description: "USD per million tokens." },
    capabilities: { type: "array", items: text },
    operations: { type: "array", nullable: true, items: text, description: "The requests that it serves." },
  },
};

/** `function_call` answers requests that offer the deprecated `functions`. */
const FINISHES = ["stop", "length", "tool_calls", "content_filter", "function_call"];

const completionSchema = {
  type: "object",
  required: ["id", "object", "created", "model", "choices"],
  properties: {
    id: text,
    object: { type: "string", enum: ["chat.completion"] },
    created: integer,
    model: { ...text, description: "The canonical id of the model that answered." },
    choices: {
      type: "array",
      items: {
        type: "object",
        properties: {
          index: integer,
          finish_reason: { type: "string", enum: FINISHES },
          message: {
            type: "object",
            properties: {
              role: { type: "string", enum: ["assistant"] },
              content: { ...text, nullable: true },
              refusal: { ...text, nullable: true },
              reasoning_content: text,
              tool_calls: { type: "array", items: { type: "object" } },
              function_call: {
                type: "object",
                deprecated: true,
                properties: { name: text, arguments: text },
                description: "The call, where the request offers `functions` and no `tools`.",
              },
              annotations: { type: "array", items: { type: "object" } },
            },
          },
        },
      },
    },
    usage: {
      type: "object",
      properties: {
        prompt_tokens: integer,
        completion_tokens: integer,
        total_tokens: integer,
        cost: { type: "number", description: "USD, by the card's price, even when free." },
        charged: { type: "number", description: "USD that the balance paid." },
      },
    },
  },
};

const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is out of bounds, or the model can't serve it; `param` names the field.",
  401: "No valid key.",
  402: "The balance or the key's spend limit can't cover the request.",
  403: "The key may not use this model.",
  404: "No such model; the nearest ids are named.",
  413: "The body is too large.",
  415: "The body is not JSON in UTF-8.",
  429: "The allowance is used up (`rate_limit_exceeded`), or the providers are (`provider_busy`).",
  502: "The provider failed.",
  503: "The gateway can't serve now.",
  504: "The provider did not answer in time.",
};

export function failures(...statuses: readonly number[]): Responses {
  const responses: Responses = {};
  for (const status of statuses) {
    responses[status] = { description: ERRORS[status] ?? "", content: jsonBody(errorSchema) };
  }
  return responses;
}

export const secured: { security: OpenAPIV3.SecurityRequirementObject[] } = { security: [{ key: [] }] };

/** Written out once for all routes that take it: it is large. */
export const chatBody = jsonBody(withOptionalNulls(chatRequestSchema), {
  model: "Router#fair",
  messages: [{ role: "user", content: "Hello!" }],
});

const chatDetail: OpenAPIV3.OperationObject = {
  summary: "Create a chat completion",
  tags: ["Chat"],
  operationId: "createChatCompletion",
  ...secured,
  requestBody: {
    required: true,
    content: chatBody,
  },
  responses: {
    200: {
      description:
        "The completion, or with `stream: true` its chunks as server-sent events up to `data: [DONE]`.",
      content: {
        ...jsonBody(completionSchema),
        "text/event-stream": { schema: { ...text, description: "`data: {chat.completion.chunk}` lines." } },
      },
    },
    ...failures(400, 401, 402, 403, 404, 413, 415, 429, 502, 503, 504),
  },
};

const modelsDetail: OpenAPIV3.OperationObject = {
  summary: "List the models that this key can use now",
  tags: ["Models"],
  operationId: "listModels",
  ...secured,
  responses: {
    200: {
      description: "The models, the selectors `Router#best`, `Router#fair` and `Router#light` included.",
      content: jsonBody({
        type: "object",
        required: ["object", "data"],
        properties: {
          object: { type: "string", enum: ["list"] },
          data: { type: "array", items: modelSchema },
        },
      }),
    },
    ...failures(401),
  },
};

/** Ids hold `#` and `/`, so the route is a wildcard, which OpenAPI has no form for: it is described by hand. */
export const modelPath: OpenAPIV3.PathsObject = {
  "/v1/models/{id}": {
    get: {
      summary: "One model",
      tags: ["Models"],
      operationId: "retrieveModel",
      ...secured,
      parameters: [
        {
          name: "id",
          in: "path",
          required: true,
          schema: text,
          description: "Percent-encoded: `OpenAI%23gpt-5.4`.",
        },
      ],
      responses: {
        200: { description: "The model.", content: jsonBody(modelSchema) },
        ...failures(401, 404),
      },
    },
  },
};

const keyDetail: OpenAPIV3.OperationObject = {
  summary: "The key's own allowance, limits and spend",
  tags: ["Key"],
  operationId: "retrieveKey",
  ...secured,
  responses: {
    200: { description: "What this key has left.", content: jsonBody({ type: "object" }) },
    ...failures(401),
  },
};

function operation(summary: string, operationId: string, responses: Responses): OpenAPIV3.OperationObject {
  return { summary, operationId, tags: ["Operation"], security: [], responses };
}

/** By method and path; a route that isn't here is not for those who read the document. */
export const DETAILS: Readonly<Record<string, OpenAPIV3.OperationObject>> = {
  "POST /v1/chat/completions": chatDetail,
  "GET /v1/models": modelsDetail,
  "GET /v1/key": keyDetail,
  "GET /healthz": operation("Whether the process is alive", "health", {
    200: { description: "It is." },
  }),
  "GET /readyz": operation("Whether the gateway can serve", "ready", {
    200: { description: "It can; where a part of the store is missing, `problems` says so." },
    503: { description: "It can't; `problems` says why." },
  }),
  "GET /metrics": operation("Counters as Prometheus text", "metrics", {
    200: { description: "They name no key and no account." },
    401: { description: "The operator has set `metrics.token`, and the bearer is another." },
  }),
  "GET /config.schema.json": operation("JSON Schema of the configuration file", "configSchema", {
    200: { description: "The schema." },
  }),
};
