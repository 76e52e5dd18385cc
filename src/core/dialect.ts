// The words that every upstream call is made of, and the dialects' names.
import type { FormEntry } from "./attachment.ts";
import type { JsonObject } from "./json.ts";
import type { LongJson } from "./long-json.ts";

/** A guardrail of the operator's on Bedrock, which reads each chat request and its answer. */
export interface Guardrail {
  /** Its id or ARN. */
  readonly id: string;
  /** A number, or `DRAFT`. */
  readonly version: string;
}

/** The address of a call, and the credential that it is made with. */
export interface Target {
  /** All that stands before the dialect's own path, without a trailing slash. */
  readonly baseUrl: string;
  /** The provider's secret; null for a server that needs none. */
  readonly secret: string | null;
  /** The operator's own headers, sent with each call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The version of a platform's API, where its paths name one. */
  readonly apiVersion?: string;
  /** True if cache marks are set for clients that set none; left out: they are not. */
  readonly marksCache?: boolean;
  /** Left out: none is asked for. */
  readonly guardrail?: Guardrail;
}

export interface Outgoing {
  readonly url: string;
  /** Lower-case names. `content-type` is application/json unless given, and a form's own for a form. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The form that is sent in place of the body, for calls that carry files. */
  readonly form?: readonly FormEntry[];
  /** The form of the answer; left out: text. Bytes are read as they come, unless events come in their place. */
  readonly answer?: "text" | "bytes" | "aws-eventstream";
  /** Fields of the client's request that were changed, clamped or left out, by their OpenAI names. */
  readonly dropped: readonly string[];
}

/** A whole answer as it came: its text, or JSON with long texts in it. */
export interface Delivered {
  readonly body: string | LongJson;
  readonly headers: Headers;
}

/** One server-sent event. `event` is "" when the stream names none. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Surfaces and dialects of one family have the same wire format: nothing is translated between them. */
export type Family = "openai" | "anthropic" | "responses" | "gemini";

/** A client's request in the form of its family, without the fields that the gateway never passes on. */
export interface RawRequest {
  readonly family: Family;
  readonly body: JsonObject;
  /** Lower-case names of the headers that belong to the wire format, such as `anthropic-beta`. */
  readonly headers: Readonly<Record<string, string>>;
}

export const DIALECTS = [
  "openai",
  "responses",
  "anthropic",
  "gemini",
  "mistral",
  "cohere",
  "perplexity",
  "bedrock",
  "voyage",
  "jina",
] as const;
export type DialectName = (typeof DIALECTS)[number];
