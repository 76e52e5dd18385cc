// The versions of the protocol, and the two eras that they belong to.

/** Older versions begin with `initialize`; newer ones say in each request what a client can do. */
export type Era = "older" | "newer";

export const NEWER_VERSION = "2026-07-28";
/** The latest first. */
const OLDER_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
export const LATEST_OLDER = OLDER_VERSIONS[0];
/** The version of a request without the header, which 2025-06-18 introduced. */
export const UNNAMED_VERSION = "2025-03-26";
export const VERSIONS: readonly string[] = [NEWER_VERSION, ...OLDER_VERSIONS];

const OLDER: ReadonlySet<string> = new Set(OLDER_VERSIONS);

/** Returns the era of a version that the gateway speaks, or null. */
export function findEra(version: string): Era | null {
  if (version === NEWER_VERSION) return "newer";
  return OLDER.has(version) ? "older" : null;
}

/** Returns the version to answer an `initialize` with: the one asked for, or else the latest that has `initialize`. */
export function negotiateVersion(asked: unknown): string {
  return typeof asked === "string" && OLDER.has(asked) ? asked : LATEST_OLDER;
}

/** The names of the protocol's own fields in `_meta`. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** JSON-RPC's own codes, and those of the protocol. */
export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  /** The gateway's own, for what HTTP refuses before a message is understood. */
  gateway: -32000,
  headers: -32020,
  capability: -32021,
  version: -32022,
  /** The user must open a page first (2025-11-25). */
  elicitation: -32042,
} as const;
