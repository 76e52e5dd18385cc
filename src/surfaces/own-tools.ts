// Tools that the gateway runs for a model: how a request names them, and how the model calls them.
import type { JsonObject } from "../core/json/json.ts";
import type { ToolProtocolError } from "../core/tools/tool-reply.ts";

/** The names by which requests can mean the gateway's own tool servers. */
export interface OwnNames {
  /** The configured servers. */
  readonly rules: { readonly servers: readonly { readonly name: string }[] };
  /** The address of all of them. Null if clients know none. */
  readonly url: string | null;
}

/** A tool server of the gateway, as a request names it. */
export interface NamedServer {
  /** The place of its entry, such as `tools[0]`. */
  readonly path: string;
  readonly label: string;
  /** Null for the address of all. */
  readonly server: string | null;
  /** The place of its address. */
  readonly addressPath: string;
  /** The client's own credential for it. Null for none. */
  readonly authorization: string | null;
  /** The only tools to show, by the names that they have at the address. Null for all. */
  readonly toolNames: readonly string[] | null;
  /** True for tools that change nothing, false for the others. Null for both. */
  readonly isReadOnly: boolean | null;
}

/** A tool that the sender may use. */
export interface ShownTool {
  /** At the address. */
  readonly name: string;
  /** At the address of all servers: no two tools share it. */
  readonly fullName: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject;
  /** Undefined if the server gave none. */
  readonly annotations: JsonObject | undefined;
}

export interface ShownServer extends Pick<NamedServer, "label"> {
  readonly tools: readonly ShownTool[];
  /** A sentence on what is not to be had at the moment. Null if everything is. */
  readonly error: string | null;
}

/** A model's call of such a tool. */
export interface OwnCall {
  /** The place of its item in the answer. */
  readonly index: number;
  readonly label: string;
  /** At the address. */
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** The server's result, which may say that it failed, or the server's own error. */
export type OwnCallResult =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: ToolProtocolError };

/** A model's answer within the conversation. */
export interface OwnTurn {
  readonly calls: readonly OwnCall[];
  /** True if the client goes on after it: the model has also called the client's own functions, or was cut off. */
  readonly isLast: boolean;
}

/** The end of an answer that consists of several of a model's. */
export interface OwnEnd<Usage> {
  /** The sum of all tokens, and of the costs of models and tools. Null if no model has reported any. */
  readonly usage: Usage | null;
  /** The code of what ended it early. Null if it is complete. */
  readonly reason: string | null;
}
