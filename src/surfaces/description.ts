// The words of a surface's path in the OpenAPI document.
import type { TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../core/json.ts";

export interface Description {
  /** The document lists the routes under it. */
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  /** The schema of the body, by which the surface reads it. */
  readonly schema: TSchema;
  /** A body that works; left out: the body is a form alone. */
  readonly example?: JsonObject;
  /** Files of a form beside the schema's fields; left out: the body is JSON alone. */
  readonly files?: readonly string[];
  /** True if optional fields may be null, which says the same as leaving them out. */
  readonly takesNulls?: boolean;
  /** A sentence on the body of a 200. */
  readonly answer: string;
  readonly answerSchema?: TSchema;
  /** The media type of an answer that isn't JSON. */
  readonly answerType?: string;
  /** True if the answer may come as server-sent events. */
  readonly streams?: boolean;
  /** True if only tokens are counted: no provider is called. */
  readonly counts?: boolean;
  /** The end of a path whose wildcard takes a model's id, as `:countTokens`. */
  readonly verb?: string;
}
