// The faults of the tool server of the tests, each on command.
import type { JsonObject } from "../../../src/core/json/json.ts";

/** A fault that the next request of a method meets. */
export type ToolFault =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers. */
  | { readonly kind: "stall" }
  /** Answers with a stream that stays open. */
  | { readonly kind: "listen" }
  /** Breaks the connection after having carried out the call. */
  | { readonly kind: "break" }
  /** Ends the events before the response. */
  | { readonly kind: "cut" }
  | { readonly kind: "garble"; readonly type?: string; readonly text?: string }
  /** Forgets all sessions first. */
  | { readonly kind: "forget" }
  /** Gives the response twice, and one to no question. */
  | { readonly kind: "twice" }
  /** Sends so many notifications before the response. */
  | { readonly kind: "flood"; readonly count: number; readonly bytes: number }
  /** Asks the client for something. */
  | { readonly kind: "ask"; readonly method: string }
  /** An answer of one's own. */
  | { readonly kind: "answer"; readonly message: JsonObject; readonly status?: number };
