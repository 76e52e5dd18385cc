// The surfaces' OpenAPI operations, built from their descriptions and schemas.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import { type Description, FIELD_NOTES } from "../../surfaces/descriptions.ts";
import { toOpenApi, withOptionalNulls } from "./form.ts";

const text = { type: "string" };
const textOrNull = { type: "string", nullable: true };
export const errorSchema = {
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
        reset_at: { ...text, description: "The time at which the request would be accepted (429)." },
        limit: {
          type: "object",
          description: "The limit that refused the request.",
          required: ["scope", "name", "kind", "limit", "used", "reserved", "resets_at"],
          properties: {
            scope: { ...text, enum: ["key", "member", "account"] },
            name: text,
            kind: { ...text, description: "For example `body_memory`." },
            limit: { type: "number" },
            used: { type: "number" },
            reserved: { type: "number" },
            resets_at: textOrNull,
          },
        },
      },
    },
  },
};

const ERRORS: Readonly<Record<number, string>> = {
  400: "The request is invalid, or the model can't serve it; `param` names the field.",
  401: "The API key is missing or invalid.",
  402: "The balance or the key's spend limit doesn't cover the request.",
  403: "The key may not use this model, is paused, or may not be used from this address.",
  404: "The model does not exist; the message suggests the nearest ids.",
  413: "The request body is too large.",
  415: "The route does not support the content type or encoding.",
  429: "The allowance is used up (`rate_limit_exceeded`), or the provider is limiting requests (`provider_busy`).",
  502: "The provider failed.",
  503: "The gateway can't serve the request at the moment.",
  504: "The provider did not answer in time.",
};
const COUNTED = [400, 401, 404, 413, 415, 429];

/** Describes an error in the gateway's own form. Surfaces use the form of their API. */
export function describeError(description: string): JsonObject {
  return { description, content: { "application/json": { schema: errorSchema } } };
}

/** `origin` is the path of which this one is another spelling. Null if it isn't one. */
export function describeSurface(one: Description, origin: string | null): JsonObject {
  const same = origin === null ? {} : { description: `An alternative path for \`${origin}\`.` };
  const failures = Object.entries(ERRORS).filter(
    ([status]) => !one.counts || COUNTED.includes(Number(status)),
  );
  return {
    summary: one.summary,
    tags: [one.tag ?? "Beyond chat"],
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
  const body = isAlias ? { type: "object" } : addNotes(toOpenApi(taken));
  const json = example === undefined ? {} : { "application/json": { schema: body, example } };
  if (files === undefined) return json;
  const binary = { type: "string", format: "binary" };
  const { properties, required, ...rest } = asObject(body);
  const form = {
    ...rest,
    properties: { ...asObject(properties), ...Object.fromEntries(files.map((name) => [name, binary])) },
    // A body that may be JSON has other ways to name files.
    required: [...asArray(required), ...(example === undefined ? files : [])],
  };
  return { ...json, "multipart/form-data": { schema: form } };
}

/** Describes fields that have no description of their own. */
function addNotes(schema: unknown): JsonObject {
  const { properties, ...rest } = asObject(schema);
  const described = Object.entries(asObject(properties)).map(([name, field]) => {
    const description = FIELD_NOTES[name];
    return [name, description === undefined ? field : { description, ...asObject(field) }];
  });
  return { ...rest, properties: Object.fromEntries(described) };
}

function describeAnswer({ answerSchema, answerType, eventSchema, streams }: Description): JsonObject {
  const whole = answerSchema ? toOpenApi({ ...answerSchema }) : { type: "object" };
  const own = eventSchema ? toOpenApi({ ...eventSchema }) : text;
  const events = {
    "text/event-stream": { schema: { ...asObject(own), description: "The API's own events." } },
  };
  return {
    ...(answerType === undefined
      ? { "application/json": { schema: whole } }
      : { [answerType]: { schema: { ...text, format: "binary" } } }),
    ...(streams ? events : {}),
  };
}
