// Requests and notifications as servers of each era read them.
import type { JsonObject } from "../../core/json/json.ts";
import { encodeHeaderValue } from "./encoded-value.ts";
import { findEra, LATEST_OLDER, META, NEWER_VERSION } from "./eras.ts";
import { type HeaderParameter, writeParameters } from "./header-parameters.ts";
import { findNamed } from "./methods.ts";

/** The versions on both sides. */
interface ProtocolVersions {
  /** The version of the protocol that it speaks. */
  readonly version: string;
  /** The gateway's own version. */
  readonly gatewayVersion: string;
}

interface ServerRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Beside the protocol's own fields. */
  readonly meta: JsonObject;
  /** True to ask for progress, under the request's id. */
  readonly hasProgress: boolean;
  readonly parameters: readonly HeaderParameter[];
}

/** A message that is ready to be sent. Names are in lower case. */
export interface WrittenMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ACCEPT = "application/json, text/event-stream";
const VERSION_HEADER = "mcp-protocol-version";
export const SESSION_HEADER = "mcp-session-id";

/** Fields of a message, after the protocol's own. */
type RequestFields =
  | JsonObject
  | { readonly id: number; readonly method: string; readonly params: JsonObject };

function writeMessage(headers: Readonly<Record<string, string>>, message: RequestFields): WrittenMessage {
  return {
    headers: { accept: ACCEPT, "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  };
}

/** The headers repeat what the body says, whatever the client sent: a tool has another name here, for one. */
export function writeRequest(versions: ProtocolVersions, request: ServerRequest): WrittenMessage {
  const { id, method, params, hasProgress } = request;
  const isNewer = findEra(versions.version) === "newer";
  const own = isNewer ? { ...request.meta, ...describeClient(versions) } : request.meta;
  const meta = hasProgress ? { ...own, progressToken: id } : own;
  const message = { id, method, params: isEmpty(meta) ? params : { ...params, _meta: meta } };
  const version = { [VERSION_HEADER]: versions.version };
  return writeMessage(isNewer ? { ...version, ...writeHeaders(request) } : version, message);
}

function isEmpty(fields: JsonObject): boolean {
  for (const _ in fields) return false;
  return true;
}

/** No capability is declared, so that no server may ask back. */
function describeClient({ gatewayVersion }: ProtocolVersions): JsonObject {
  return {
    [META.version]: NEWER_VERSION,
    [META.clientInfo]: { name: "poundkey", version: gatewayVersion },
    [META.clientCapabilities]: {},
  };
}

function writeHeaders({ method, params, parameters }: ServerRequest): Readonly<Record<string, string>> {
  const named = findNamed(method, params);
  const given = params.arguments;
  return {
    "mcp-method": method,
    ...(typeof named === "string" ? { "mcp-name": encodeHeaderValue(named) } : {}),
    ...(isArguments(given) ? writeParameters(parameters, given) : {}),
  };
}

function isArguments(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Asks the server to begin a session in the older era. Its version isn't known yet, so no header says one. */
export function writeHandshake(gatewayVersion: string, id: number): WrittenMessage {
  const params = {
    protocolVersion: LATEST_OLDER,
    capabilities: {},
    clientInfo: { name: "poundkey", version: gatewayVersion },
  };
  return writeMessage({}, { id, method: "initialize", params });
}

/** A message of the older era without an answer: a notification, or the answer to a server's request. */
export function writeOlder(version: string, message: JsonObject): WrittenMessage {
  return writeMessage({ [VERSION_HEADER]: version }, message);
}
