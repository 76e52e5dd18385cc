// Adapts our schemas to Elysia's interface for custom validators, so that refusals use our own messages.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { readInput, readQuery } from "../../admin/input.ts";
import type { View } from "../../admin/schema.ts";

/** A Standard Schema, next to the JSON Schema that the documents show. */
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

/** The schema of a body. Throws the Fault of its first wrong field. */
export function takesBody<Schema extends TSchema>(schema: Schema) {
  return standardise(schema, (value: unknown) => readInput(schema, value));
}

/** The schema of a query. Throws like `takesBody`. */
export function takesQuery<Schema extends TObject>(schema: Schema) {
  return standardise(schema, (value: unknown) => readQuery(schema, value));
}

/**
 * The schema of an answer. It isn't checked at run time, since that would turn a row written by an older version into
 * an error: the compiler checks the routes, and tests check their answers.
 */
export function returnsBody<Schema extends TSchema>(schema: Schema) {
  return standardise(schema, (answer: View<Schema>) => answer);
}

/** The schema of what a use-case reads by itself. */
export function showsSchema(schema: TSchema) {
  return standardise(schema, (value: unknown) => value);
}

type Responses = Readonly<Record<number, { readonly description: string }>>;

/**
 * Returns a route's OpenAPI texts, and the schemas of answers and bodies that it writes and reads without Elysia. A text
 * describes a 200 without a schema.
 */
export function describeRoute(
  tag: string,
  operationId: string,
  summary: string,
  described?: Responses | string,
  body?: object,
) {
  const responses = typeof described === "string" ? describeResponse(described) : described;
  const requestBody = { required: true, content: { "application/json": { schema: { ...body } } } };
  const more = { ...(responses ? { responses } : {}), ...(body ? { requestBody } : {}) };
  return { detail: { tags: [tag], operationId, summary, ...more } };
}

/** The 200 of a route that writes its own answer: JSON of the schema, or what the description says. */
export function describeResponse(description: string, schema?: TSchema): Responses {
  return { 200: { description, ...(schema ? { content: { "application/json": { schema } } } : {}) } };
}

/** The 200 of a route whose answer has the fields of a vendor's own API, and the body that it takes, if it reads one itself. */
export function describeObject(
  tag: string,
  operationId: string,
  summary: string,
  answer: string,
  body?: object,
) {
  return describeRoute(tag, operationId, summary, describeResponse(answer, Type.Object({})), body);
}
