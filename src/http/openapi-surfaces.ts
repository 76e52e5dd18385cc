// The surfaces' OpenAPI operations, built from their descriptions and schemas.
import { asObject, type JsonObject } from "../core/json.ts";
import type { Description } from "../surfaces/descriptions.ts";
import { toOpenApi, withOptionalNulls } from "./openapi-form.ts";

const text = { type: "string" };
const textOrNull = { type: "string", nullable: true };
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
        param: textOrNull,
        code: textOrNull,
        reset_at: { ...text, description: "When a refused request would pass (429)." },
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
  415: "The body is of another type than the route takes.",
  429: "The allowance is used up (`rate_limit_exceeded`), or the providers are (`provider_busy`).",
  502: "The provider failed.",
  503: "The gateway can't serve now.",
  504: "The provider did not answer in time.",
};
const COUNTED = [400, 401, 404, 413, 415, 429];

/** Describes an error in the gateway's own form. Surfaces use the form of their API. */
export function describeError(description: string): JsonObject {
  return { description, content: { "application/json": { schema: errorSchema } } };
}

/** `origin` is the path of which this one is another spelling. Null if it isn't one. */
export function describeSurface(one: Description, origin: string | null): JsonObject {
  const same = origin === null ? {} : { description: `Another spelling of \`${origin}\`.` };
  const failures = Object.entries(ERRORS).filter(
    ([status]) => !one.counts || COUNTED.includes(Number(status)),
  );
  return {
    summary: one.summary,
    tags: [one.tag],
    ...same,
    security: [{ key: [] }],
    requestBody: { required: true, content: describeBody(one, origin !== null) },
    responses: {
      200: { description: one.answer, content: describeAnswer(one) },
      ...Object.fromEntries(failures.map(([status, words]) => [status, describeError(words)])),
    },
  };
}

/** The schema is large, so other spellings of the path omit it. */
function describeBody({ schema, files, takesNulls, example }: Description, isAlias: boolean): JsonObject {
  const taken = takesNulls ? withOptionalNulls(schema) : { ...schema };
  const body = isAlias ? { type: "object" } : toOpenApi(taken);
  const json = example === undefined ? {} : { "application/json": { schema: body, example } };
  if (files === undefined) return json;
  const binary = { type: "string", format: "binary" };
  const properties = {
    ...asObject(asObject(body).properties),
    ...Object.fromEntries(files.map((name) => [name, binary])),
  };
  return { ...json, "multipart/form-data": { schema: { ...asObject(body), properties } } };
}

function describeAnswer({ answerSchema, answerType, streams }: Description): JsonObject {
  const whole = answerSchema ? toOpenApi({ ...answerSchema }) : { type: "object" };
  const events = { "text/event-stream": { schema: { ...text, description: "The API's own events." } } };
  return {
    ...(answerType === undefined
      ? { "application/json": { schema: whole } }
      : { [answerType]: { schema: { ...text, format: "binary" } } }),
    ...(streams ? events : {}),
  };
}
