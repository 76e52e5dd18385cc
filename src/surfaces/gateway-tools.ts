// Tools that the gateway runs for a model: how a request names them, and how they are shown.
import type { JsonObject } from "../core/json/json.ts";

/** The names by which requests can mean the gateway's tool servers. */
export interface GatewayServerNames {
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
  /** Null for the address of all servers. */
  readonly server: string | null;
  /** The place of its address, such as `tools[0].server_url`. */
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
