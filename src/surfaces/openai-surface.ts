// Surfaces in OpenAI's form: the body is checked against one schema, and translated for every provider.
import type { Static, TObject } from "@sinclair/typebox";
import { Fault } from "../core/faults/fault.ts";
import { asObject, type JsonObject } from "../core/json/json.ts";
import type { Form } from "../operations/form.ts";
import { Checker, checkModelName, readFields } from "./checker.ts";
import { convertFields, type FieldTypes } from "./form-fields.ts";
import {
  type Exchange,
  type Incoming,
  OPENAI_FORM,
  type Stamp,
  type Surface,
  TRANSLATED,
} from "./surface.ts";

interface Api<F extends Form, Schema extends TObject>
  extends Pick<Surface<F>, "name" | "operation" | "idPrefix" | "body"> {
  readonly schema: Schema;
  /** The field that makes a request long. */
  readonly list: string;
  /** Fields that are texts in a form. Missing if there are no forms. */
  readonly fieldTypes?: FieldTypes;
}

interface OpenAiApi<F extends Form, Schema extends TObject> extends Api<F, Schema> {
  /** `extras` are the fields missing from the schema. */
  read(
    given: Static<Schema>,
    extras: JsonObject,
    incoming: Incoming,
  ): Pick<Exchange<F>, "ask" | "whole" | "writer"> & Partial<Exchange<F>>;
}

export function makeOpenAiSurface<F extends Form, Schema extends TObject>(
  api: OpenAiApi<F, Schema>,
): Surface<F> {
  const { schema, list, fieldTypes, read, ...named } = api;
  const checker = new Checker(schema);
  return {
    ...OPENAI_FORM,
    ...named,
    fields: new Set([...Object.keys(schema.properties), "stream", "user"]),
    read(incoming) {
      const body = readFields(incoming.body);
      const fields = fieldTypes && isForm(incoming.headers) ? convertFields(body, fieldTypes) : body;
      const given = checker.check(fields, list);
      if (fields.model !== undefined) checkModelName(fields.model);
      if (fields.user !== undefined) checkUser(fields.user);
      return { ...TRANSLATED, ...read(given, checker.listExtras(fields), incoming) };
    },
  };
}

/** Everything in a form is text. In JSON, "1" is no number. */
function isForm(headers: Headers): boolean {
  return /^multipart\/form-data/i.test(headers.get("content-type") ?? "");
}

/** Every one of these APIs takes it, and passes it on. */
function checkUser(user: unknown): void {
  if (user === null || typeof user === "string") return;
  throw new Fault("invalid_type", "Invalid type for 'user': expected a string.", { param: "user" });
}

/** An API whose answers are single JSON documents, never streams. */
interface WholeApi<F extends Form, Schema extends TObject> extends Api<F, Schema> {
  read(given: Static<Schema>, extras: JsonObject): F["ask"];
  /** Returns the client's names of fields that have several. Missing if none has. */
  nameFields?(given: Static<Schema>): Readonly<Record<string, string>>;
  write(reply: F["reply"], stamp: Stamp, ask: F["ask"]): JsonObject;
}

function failStream(): never {
  throw new Fault("unsupported_parameter", "This API does not support streaming.", { param: "stream" });
}

/** The terms of a request that is never streamed. */
export const TRANSLATED_WHOLE = { ...TRANSLATED, writer: failStream } as const;

export function makeWholeSurface<F extends Form, Schema extends TObject>(
  whole: WholeApi<F, Schema>,
): Surface<F> {
  const { read, write, nameFields, ...api } = whole;
  return makeOpenAiSurface<F, Schema>({
    ...api,
    read(given, extras, { body }) {
      if (asObject(body).stream === true) failStream();
      const ask = read(given, extras);
      const names = nameFields?.(given) ?? {};
      return { ask, names, whole: (reply, stamp) => write(reply, stamp, ask), writer: failStream };
    },
  });
}
