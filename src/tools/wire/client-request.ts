// The era of a client's request, by its header and its body, and the headers of the newer era checked.
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import { decodeHeaderValue } from "./encoded-value.ts";
import { CODES, type Era, findEra, META, NEWER_VERSION, UNNAMED_VERSION, VERSIONS } from "./eras.ts";
import { findNamed } from "./methods.ts";

/** Names are in lower case. */
type GetHeader = (name: string) => string | null;

interface RequestMessage {
  readonly method: string;
  readonly params: JsonObject;
}

/** The version that a request is served in, or the error of a 400. */
type RequestVersion = ServedVersion | { readonly kind: "refused"; readonly error: ToolProtocolError };

export interface ServedVersion {
  readonly kind: "version";
  readonly version: string;
  readonly era: Era;
}

const VERSION_HEADER = "mcp-protocol-version";

/**
 * `initialize` belongs to the older era, even if its header names a newer version: the client is then offered an older one.
 */
export function readVersion(message: RequestMessage, getHeader: GetHeader): RequestVersion {
  const header = getHeader(VERSION_HEADER);
  const inBody = asString(asObject(message.params._meta)[META.version]);
  if (message.method === "initialize") return serve(UNNAMED_VERSION, "older");
  if (inBody === undefined && header !== NEWER_VERSION) return readOlder(header);
  if (inBody !== undefined && header !== null && inBody !== header)
    return refuseHeaders(`MCP-Protocol-Version is ${header}, and the body says ${inBody}`);
  if (inBody !== undefined && findEra(inBody) === "older") return serve(inBody, "older");
  if (inBody !== undefined && inBody !== NEWER_VERSION) return refuseVersion(inBody);
  if (header === null) return refuseHeaders("MCP-Protocol-Version is missing");
  if (inBody === undefined) return refuseHeaders(`_meta["${META.version}"] is missing in the body`);
  const mistake = compareHeaders(message, getHeader);
  return mistake === null ? serve(NEWER_VERSION, "newer") : refuseHeaders(mistake);
}

function readOlder(header: string | null): RequestVersion {
  const version = header ?? UNNAMED_VERSION;
  if (findEra(version) === "older") return serve(version, "older");
  const message = `The version ${version} of the protocol is not supported. Supported are ${VERSIONS.join(", ")}.`;
  return { kind: "refused", error: { code: CODES.gateway, message } };
}

function serve(version: string, era: Era): RequestVersion {
  return { kind: "version", version, era };
}

function refuseVersion(requested: string): RequestVersion {
  const message = "Unsupported protocol version";
  const data = { supported: VERSIONS, requested };
  return { kind: "refused", error: { code: CODES.version, message, data } };
}

export function makeHeaderError(mistake: string): ToolProtocolError {
  return { code: CODES.headers, message: `Header mismatch: ${mistake}` };
}

function refuseHeaders(mistake: string): RequestVersion {
  return { kind: "refused", error: makeHeaderError(mistake) };
}

/** Returns the first difference between the headers and the body, or null. */
function compareHeaders({ method, params }: RequestMessage, getHeader: GetHeader): string | null {
  // Notifications have no rules for headers in this version.
  if (method.startsWith("notifications/")) return null;
  const sent = getHeader("mcp-method");
  if (sent === null) return "Mcp-Method is missing";
  if (sent !== method) return "Mcp-Method does not match the body";
  const named = findNamed(method, params);
  if (named === null) return null;
  const header = getHeader("mcp-name");
  if (header === null) return "Mcp-Name is missing";
  const name = decodeHeaderValue(header);
  if (name === null) return "Mcp-Name has invalid characters";
  return name === named ? null : "Mcp-Name does not match the body";
}
