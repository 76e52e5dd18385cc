// A tool server (MCP) as the configuration names it, and the lists that say who may use which of its tools.
import type { NanoUsd } from "../money/money.ts";

/** The ways to authenticate at a tool server. */
export type ToolAuth =
  | { readonly kind: "none" }
  | { readonly kind: "bearer"; readonly token: string }
  /** Sent with every call. */
  | { readonly kind: "header"; readonly headers: ReadonlyMap<string, string> }
  /** Client credentials (RFC 6749). `resource` is that of RFC 8707. */
  | {
      readonly kind: "oauth";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | null;
      readonly resource: string | null;
    }
  /** The value of this header of the client's request is sent on as `Authorization`, to this server alone. */
  | { readonly kind: "pass"; readonly header: string };

/** Shorter secrets aren't looked for in a server's answers: words that have nothing to do with them would go with them. */
export const HIDDEN_CHARACTERS_MIN = 8;

export interface ToolServer {
  /** `^[a-z0-9][a-z0-9-]{0,14}$`, so that no name contains the `_` that separates it from a tool's. */
  readonly name: string;
  readonly url: string;
  readonly auth: ToolAuth;
  /** Patterns of its tools' own names. */
  readonly tools: readonly string[];
  /** The longest that a call may take. */
  readonly timeoutMs: number;
  /** The most calls under way from this process. */
  readonly parallel: number;
  readonly pricePerCall: NanoUsd;
  /** By a tool's own name, before `pricePerCall`. */
  readonly prices: ReadonlyMap<string, NanoUsd>;
  readonly resources: boolean;
  readonly prompts: boolean;
}

const SET_BY_PROTOCOL =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|accept|accept-encoding|cookie|mcp-.*|last-event-id)$/i;

/** True for a header that the protocol or the connection sets, so that no setting may. */
export function isProtocolHeader(name: string): boolean {
  return SET_BY_PROTOCOL.test(name);
}
