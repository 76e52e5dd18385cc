// The parts of an upstream call.

import type { JsonObject } from "../json/json.ts";
import type { LongJson } from "../json/long.ts";
import type { NativeTexts } from "../text/texts.ts";
import type { FormEntry } from "./attachment.ts";
import type { Refusal } from "./refusals.ts";
import type { REFUSED_THINKING } from "./thinking/removed-reasoning.ts";
import type { MarkTime } from "./words/cache-marks.ts";

/** A Bedrock guardrail that checks each chat request and its answer. */
interface Guardrail {
  /** Its id or ARN. */
  readonly id: string;
  /** A number, or `DRAFT`. */
  readonly version: string;
}

/**
 * The fields that the native lane may leave out of a client's own request: all that the card's model refuses, if the
 * gateway chose the model, or only those that are certain to be answered with 400.
 */
export type Mending = "refused" | "surely_refused";

/** Where to send a call, and with which credential. */
export interface Target {
  /** Everything before the dialect's own path, without a trailing slash. */
  readonly baseUrl: string;
  /** The provider's secret. Null for servers that need none. */
  readonly secret: string | null;
  /** The operator's extra headers for every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The platform's API version. Missing if its paths contain none or the unversioned one is used. */
  readonly apiVersion?: string;
  /** Set for a request that the gateway marks for the cache, since its client set no mark. */
  readonly marks?: MarkTime | undefined;
  /** The limit of an answer whose request sets none, in tokens. Missing for the longest answer of the model. */
  readonly outputTokensDefault?: number;
  /** Fields outside the API that the operator lets pass: their names, or `*` (`extra_fields`). Missing if there are none. */
  readonly extraFields?: readonly string[];
  /** Everything that the model is known to refuse. Missing if that is nothing. */
  readonly refuses?: ReadonlySet<Refusal>;
  /** Missing if the native lane leaves nothing out. */
  readonly mends?: Mending;
  /** True to ask for the default service where the request asks for none. */
  readonly sendsTier?: true;
  /** Missing if no guardrail applies. */
  readonly guardrail?: Guardrail;
}

/** A message of the gateway's own: words, and the names of tools. */
export interface Said {
  readonly text: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface Outgoing {
  readonly url: string;
  /** In lower case. `content-type` defaults to application/json, or to the form's own type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The form to send instead of the body, for uploads. */
  readonly form?: readonly FormEntry[];
  /** The format of the answer, text by default. For `bytes`, a stream of events is recognized too. */
  readonly answer?: "text" | "bytes" | "aws-eventstream";
  /** Request fields that were changed, clamped or left out, by their OpenAI names. */
  readonly dropped: readonly string[];
  /** The gateway's own words before the answer, whose thinking is bound to them. Missing if there are none. */
  readonly said?: Said | undefined;
  /** Set if the gateway marked it for the cache. */
  readonly marked?: MarkTime | undefined;
  /** The number of earlier answers whose thinking only another family's models read. Missing for none. */
  readonly foreignThinking?: number;
}

/** A complete answer: its text, or JSON with its long strings kept as bytes. */
export interface DeliveredBody {
  readonly body: string | LongJson;
  readonly headers: Headers;
}

/** One server-sent event. `event` is "" if the stream gives none. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** A surface and a dialect of the same family share a wire format, so nothing is translated between them. */
export type Family = "openai" | "anthropic" | "responses" | "gemini";

/** The client's request in its own wire format, without fields that are never passed on. */
export interface RawRequest {
  readonly family: Family;
  readonly body: JsonObject;
  /** Lower-case names of headers that belong to the wire format, such as `anthropic-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reaches the texts of the request and of its answer. It travels with the request, as only surfaces know their forms. */
  readonly texts: NativeTexts;
  /** True for a request to the format's own route that compacts a conversation. */
  readonly isCompaction?: true;
  readonly [REFUSED_THINKING]?: number;
}
