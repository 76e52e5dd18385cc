// The requests that the tool server of the tests gets, and the mistakes in them.
import { asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";

export interface SeenRequest {
  /** The HTTP method. */
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON-RPC method, or `response` for an answer to the server. */
  readonly method: string;
  readonly id: unknown;
  readonly params: JsonObject;
  readonly message: JsonObject;
}

export function describeRequest(request: Request, message: JsonObject): SeenRequest {
  const { method, id, params } = message;
  return {
    verb: request.method,
    headers: Object.fromEntries(request.headers),
    method: asString(method) ?? (request.method === "POST" ? "response" : ""),
    id,
    params: asObject(params),
    message,
  };
}

/** Headers that a gateway may send. Any other is the client's, and none of the server's business. */
const EXPECTED = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "host",
  "mcp-protocol-version",
  "mcp-session-id",
  "user-agent",
]);
const NEWER = "2026-07-28";

export function decodeValue(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

/** Returns what is wrong with the request's headers, by the text of the specification. */
export function listMistakes({ verb, headers, method, params }: SeenRequest): readonly string[] {
  const mistakes: string[] = [];
  const { accept = "" } = headers;
  if (verb === "POST" && !(accept.includes("application/json") && accept.includes("text/event-stream")))
    mistakes.push(`accept: ${accept}`);
  const isNewer = headers["mcp-protocol-version"] === NEWER;
  for (const name of Object.keys(headers)) {
    const isOwn = EXPECTED.has(name) || name.startsWith("x-test-") || (isNewer && name.startsWith("mcp-"));
    if (!isOwn) mistakes.push(`unexpected header ${name}`);
  }
  if (isNewer) mistakes.push(...listNewerMistakes(headers, method, params));
  else if (verb === "POST" && method !== "initialize" && headers["mcp-protocol-version"] === undefined)
    mistakes.push(`${method} without a version`);
  return mistakes;
}

function listNewerMistakes(headers: SeenRequest["headers"], method: string, params: JsonObject) {
  const mistakes: string[] = [];
  const meta = asObject(params._meta);
  if (meta["io.modelcontextprotocol/protocolVersion"] !== NEWER) mistakes.push("no version in _meta");
  if (typeof meta["io.modelcontextprotocol/clientCapabilities"] !== "object")
    mistakes.push("no capabilities in _meta");
  if (headers["mcp-method"] !== method) mistakes.push(`mcp-method ${headers["mcp-method"]} for ${method}`);
  const named = params.name ?? params.uri;
  if (named !== undefined && decodeValue(headers["mcp-name"]) !== named)
    mistakes.push(`mcp-name ${headers["mcp-name"]} for ${named}`);
  if (headers["mcp-session-id"] !== undefined) mistakes.push("a session in the newer era");
  return mistakes;
}
