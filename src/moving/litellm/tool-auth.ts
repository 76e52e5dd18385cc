// The credentials with which LiteLLM calls MCP servers, as `auth` of tool servers.
import { asArray, asObject, asString } from "../../core/json/json.ts";
import { isProtocolHeader } from "../../core/tools/tool-server.ts";
import { isPrivateHost } from "../../core/world/address.ts";
import type { Fields } from "../fields.ts";
import type { Report } from "../report.ts";
import { findReference, readReference, readSecret } from "./references.ts";

interface ToolServerName {
  readonly name: string;
  /** For the report. */
  readonly item: string;
  readonly line: number;
}

/** The headers in which LiteLLM sends a key. */
const KEY_HEADERS: Readonly<Record<string, string>> = {
  api_key: "X-API-Key",
  authorization: "Authorization",
};
const SECRET = /auth|cookie|key|password|secret|token/i;

/** Returns the reason why a server can't be asked at an address, or null. */
export function refuseAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return "it has no address";
  if (url.search !== "" || url.hash !== "")
    return "an address has no query: a key in it goes into a header, under auth";
  const isSafe = url.protocol === "https:" || isPrivateHost(url.hostname);
  return isSafe ? null : "its address must be https: http is for private addresses only";
}

/** Returns `auth`, undefined for none, or the reason why the server isn't taken. */
export function readAuth(
  fields: Fields,
  server: ToolServerName,
  report: Report,
): object | undefined | string {
  const kind = fields.takeText("auth_type") ?? "none";
  const value = fields.take("auth_value") ?? fields.take("authentication_token");
  const passed = asArray(fields.take("extra_headers")).map(String);
  if (passed.length > 0)
    report.leave(
      server.line,
      `${server.item}.extra_headers`,
      `headers of clients don't reach tool servers: ${passed.join(", ")}. For one credential of the caller's, set auth.pass`,
    );
  const fixed = readHeaders(fields, server, report);
  if (kind === "oauth2") return readOauth(fields, server, fixed, report);
  if (kind === "none") return Object.keys(fixed).length === 0 ? undefined : { header: fixed };
  const header = KEY_HEADERS[kind];
  if (header === undefined && kind !== "bearer_token") return `its auth_type '${kind}' has no counterpart`;
  if (value === undefined) return "its callers bring a credential of their own: set auth.pass";
  const use = { variable: `${nameVariable(server.name)}_TOKEN`, use: `the credential of ${server.item}` };
  const secret = readSecret(value, use, report);
  if (header === undefined && Object.keys(fixed).length === 0) return { bearer: secret };
  return {
    header: { ...fixed, [header ?? "Authorization"]: header === undefined ? `Bearer ${secret}` : secret },
  };
}

function nameVariable(server: string): string {
  return `MCP_${server.toUpperCase().replaceAll(/\W+/g, "_")}`;
}

function readHeaders(
  fields: Fields,
  { name: server, item, line }: ToolServerName,
  report: Report,
): Readonly<Record<string, string>> {
  const all = Object.entries(asObject(fields.take("static_headers")));
  const given = all.filter(([name]) => !isProtocolHeader(name));
  if (given.length < all.length)
    report.leave(line, `${item}.static_headers`, "headers that the protocol sets are left out");
  return Object.fromEntries(
    given.map(([name, value]) => {
      const use = `the header ${name} of ${item}`;
      const text = readReference(value, use, report) ?? String(value);
      const isPlain = findReference(value) === undefined && SECRET.test(name);
      const variable = `${nameVariable(server)}_${name.toUpperCase().replaceAll(/\W+/g, "_")}`;
      return [name, isPlain ? report.needSecret(variable, text, use) : text] as const;
    }),
  );
}

/** Client credentials alone: people's own tokens aren't kept here. */
function readOauth(
  fields: Fields,
  { name, item }: ToolServerName,
  fixed: Readonly<Record<string, string>>,
  report: Report,
): object | string {
  const flow = fields.takeText("oauth2_flow");
  const tokenUrl = fields.takeText("token_url");
  const id = fields.take("client_id");
  const secret = fields.take("client_secret");
  const scopes = asArray(fields.take("scopes")).flatMap((scope) => asString(scope) ?? []);
  if (flow === "authorization_code" || tokenUrl === undefined || id === undefined || secret === undefined)
    return "people sign in at it one by one, which has no place here: set auth.pass";
  const badAddress = refuseAddress(tokenUrl);
  if (badAddress !== null) return `token_url: ${badAddress}`;
  if (Object.keys(fixed).length > 0) return "static_headers beside a token have no place here";
  const variable = (part: string) => `${nameVariable(name)}_${part}`;
  const oauth = {
    token_url: tokenUrl,
    client_id: readReference(id, `the client's id of ${item}`, report) ?? String(id),
    client_secret: readSecret(
      secret,
      { variable: variable("CLIENT_SECRET"), use: `the client's secret of ${item}` },
      report,
    ),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
  return { oauth };
}
