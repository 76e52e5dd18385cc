// Tools that the gateway runs for a model: how the model calls them, and what an answer with such calls consists of.
import type { JsonObject } from "../json/json.ts";
import type { ToolProtocolError } from "./tool-reply.ts";

/** A model's call of a tool of the gateway. */
export interface GatewayToolCall {
  /** The place of its item in the answer. */
  readonly index: number;
  readonly label: string;
  /** At the address. */
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** The server's result, which may say that it failed, or the server's own error. */
export type GatewayToolResult =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: ToolProtocolError };

/** A model's answer within the conversation. */
export interface ToolLoopTurn {
  readonly calls: readonly GatewayToolCall[];
  /** True if the client goes on after it: the model has also called the client's own functions, or was cut off. */
  readonly isLast: boolean;
}

/** The end of an answer that consists of several of a model's. */
export interface ToolLoopEnd<Usage> {
  /** The sum of all tokens, and of the costs of models and tools. Null if no model has reported any. */
  readonly usage: Usage | null;
  /** The code of what ended it early. Null if it is complete. */
  readonly reason: string | null;
}
