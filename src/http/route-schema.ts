// Our schemas as Elysia takes them: by the interface for foreign validators, so that requests are refused in our own words.
import type { TObject, TSchema } from "@sinclair/typebox";
import { readInput, readQuery } from "../admin/input.ts";
import type { View } from "../admin/schema.ts";

/** The Standard Schema of a value, beside the JSON Schema that documents show. */
interface Standard<Given, Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "poundkey";
    readonly validate: (given: Given) => { readonly value: Value };
    readonly types?: { readonly input: Value; readonly output: Value };
  };
}

function standardise<Given, Value>(schema: TSchema, read: (given: Given) => Value): Standard<Given, Value> {
  const validate = (given: Given) => ({ value: read(given) });
  return { ...schema, "~standard": { version: 1, vendor: "poundkey", validate } };
}

/** A body: the Fault of its first wrong field is thrown. */
export function takesBody<Schema extends TObject>(schema: Schema) {
  return standardise(schema, (given: unknown) => readInput(schema, given));
}

/** A query, as `takesBody`. */
export function takesQuery<Schema extends TObject>(schema: Schema) {
  return standardise(schema, (given: unknown) => readQuery(schema, given));
}

/**
 * An answer. The compiler holds the routes to it, and the tests what they give: to check each answer once more would
 * turn a row that an older version wrote into an error.
 */
export function answers<Schema extends TSchema>(schema: Schema) {
  return standardise(schema, (answer: View<Schema>) => answer);
}

type Responses = Readonly<Record<number, { readonly description: string }>>;

/** A route's words in the OpenAPI document, and the answers and the schema of a body that it writes and reads by itself. */
export function tell(
  tag: string,
  operationId: string,
  summary: string,
  responses?: Responses,
  body?: object,
) {
  const requestBody = { required: true, content: { "application/json": { schema: { ...body } } } };
  const more = { ...(responses ? { responses } : {}), ...(body ? { requestBody } : {}) };
  return { detail: { tags: [tag], operationId, summary, ...more } };
}

/** The 200 of a route that writes it by itself: JSON of the schema, or as the description says. */
export function tellAnswer(description: string, schema?: TSchema): Responses {
  return { 200: { description, ...(schema ? { content: { "application/json": { schema } } } : {}) } };
}
