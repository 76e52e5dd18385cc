// A tool server's answer to a call, independent of the protocol's version that it speaks.
import type { JsonObject } from "../json/json.ts";

/** A JSON-RPC error, which is passed to the client with its code and message. */
export interface ToolProtocolError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type ToolReply =
  /** A result, which may say `isError`. `bytes` is its length as JSON. */
  | { readonly kind: "result"; readonly result: JsonObject; readonly bytes: number }
  | { readonly kind: "error"; readonly error: ToolProtocolError };

/** The progress of a call, without the token that names it. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
