// Surfaces in OpenAI's form whose answers are single JSON documents, never streams.
import type { Static, TObject } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { Form } from "../operations/form.ts";
import { Checker, checkModelName, readFields } from "./checker.ts";
import { OPENAI_FORM, type Stamp, type Surface, TRANSLATED } from "./surface.ts";

interface WholeApi<F extends Form, Schema extends TObject>
  extends Pick<Surface<F>, "name" | "operation" | "idPrefix"> {
  readonly schema: Schema;
  /** The field that makes a request long. */
  readonly list: string;
  /** `extras` are the fields missing from the schema. */
  read(given: Static<Schema>, extras: JsonObject): F["ask"];
  write(reply: F["reply"], stamp: Stamp, ask: F["ask"]): JsonObject;
}

function failStream(): never {
  throw new Fault("unsupported_parameter", "This API does not support streaming.", { param: "stream" });
}

/** The terms of a request that is never streamed. */
export const TRANSLATED_WHOLE = { ...TRANSLATED, writer: failStream } as const;

export function makeWholeSurface<F extends Form, Schema extends TObject>({
  schema,
  list,
  read,
  write,
  ...named
}: WholeApi<F, Schema>): Surface<F> {
  const checker = new Checker(schema);
  return {
    ...OPENAI_FORM,
    ...named,
    read({ body }) {
      const fields = readFields(body);
      const given = checker.check(fields, list);
      if (fields.model !== undefined) checkModelName(fields.model);
      if (fields.stream === true) failStream();
      const ask = read(given, checker.listExtras(fields));
      return { ...TRANSLATED_WHOLE, ask, whole: (reply, stamp) => write(reply, stamp, ask) };
    },
  };
}
