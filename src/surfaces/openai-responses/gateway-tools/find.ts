// The `mcp` tools of a request that name the gateway's tool servers.
import { Fault } from "../../../core/faults/fault.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../../core/json/json.ts";
import { invalidValue, missingParameter } from "../../../core/json/schema-fault.ts";
import type { GatewayServerNames, NamedServer } from "../../gateway-tools.ts";

const ADDRESS = /^poundkey(?::(.*))?$/s;
const LABEL_CHARACTERS_MAX = 256;
const NAMES_MAX = 1000;

/** Fields that have no meaning for a server of ours. */
const UNSUPPORTED = {
  connector_id: "The address is one of the gateway's own tool servers.",
  tunnel_id: "The address is one of the gateway's own tool servers.",
  headers: "The gateway sends its tool servers what its operator has configured.",
  allowed_callers: "Only the model calls these tools.",
  tools: "The gateway asks its tool servers for their tools itself.",
} as const;

/** Null for the address of all servers. Undefined for a tool of any other server. */
function readAddress(tool: JsonObject, { rules, url }: GatewayServerNames): string | null | undefined {
  const { server_url: given, server_label: label, connector_id: connector, tunnel_id: tunnel } = tool;
  if (typeof given === "string") {
    const own = ADDRESS.exec(given);
    if (own) return own[1] ?? null;
    return url === null ? undefined : readUrl(given.replace(/\/$/, ""), url);
  }
  const hasNone = [given, connector, tunnel].every((one) => one === undefined || one === null);
  const isNamed = hasNone && rules.servers.some(({ name }) => name === label);
  return isNamed ? String(label) : undefined;
}

function readUrl(given: string, url: string): string | null | undefined {
  if (given === url) return null;
  return given.startsWith(`${url}/`) ? given.slice(url.length + 1) : undefined;
}

export function findServers(body: unknown, names: GatewayServerNames): readonly NamedServer[] {
  const labels = new Set<unknown>();
  return asArray(asObject(body).tools).flatMap((one, index): readonly NamedServer[] => {
    const tool = asObject(one);
    if (tool.type !== "mcp") return [];
    const path = `tools[${index}]`;
    const server = readAddress(tool, names);
    const isDoubled = labels.has(tool.server_label);
    labels.add(tool.server_label);
    if (server === undefined) return [];
    if (isDoubled) throw refuse(`${path}.server_label`, "Another tool of the request has the same label.");
    return [readServer(tool, server, path)];
  });
}

function readServer(tool: JsonObject, server: string | null, path: string): NamedServer {
  for (const [field, reason] of Object.entries(UNSUPPORTED))
    if (!isEmpty(tool[field])) throw refuse(`${path}.${field}`, reason);
  if (tool.defer_loading === true)
    throw refuse(`${path}.defer_loading`, "The model sees all of them at once.");
  if (tool.require_approval !== "never") throw refuseApproval(tool.require_approval, path);
  const label = asString(tool.server_label) ?? "";
  if (label === "") throw missingParameter(`${path}.server_label`);
  if (label.length > LABEL_CHARACTERS_MAX)
    throw invalidValue(`${path}.server_label`, `expected at most ${LABEL_CHARACTERS_MAX} characters`);
  const hasUrl = typeof tool.server_url === "string";
  return {
    path,
    label,
    server,
    addressPath: `${path}.${hasUrl ? "server_url" : "server_label"}`,
    authorization: readAuthorization(tool.authorization, `${path}.authorization`),
    ...readAllowed(tool.allowed_tools, `${path}.allowed_tools`),
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
}

function refuse(param: string, reason: string): Fault {
  return new Fault("unsupported_parameter", `'${param}' is not supported here. ${reason}`, { param });
}

function refuseApproval(value: unknown, path: string): Fault {
  const asked =
    value === undefined || value === null ? "It is 'always' if it is missing, and nobody" : "Nobody";
  const reason = `${asked} approves calls of the gateway's own tools yet: send "require_approval": "never".`;
  return refuse(`${path}.require_approval`, reason);
}

function readAuthorization(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  throw invalidValue(param, "expected the server's token");
}

type ServerNarrowing = Pick<NamedServer, "toolNames" | "isReadOnly">;

function readAllowed(value: unknown, param: string): ServerNarrowing {
  if (value === undefined || value === null) return { toolNames: null, isReadOnly: null };
  if (Array.isArray(value)) return { toolNames: readNames(value, param), isReadOnly: null };
  if (!isObject(value)) throw invalidValue(param, "expected a list of names, or an object");
  const { tool_names: names, read_only: isReadOnly } = value;
  if (isReadOnly !== undefined && isReadOnly !== null && typeof isReadOnly !== "boolean")
    throw invalidValue(`${param}.read_only`, "expected true or false");
  const hasNames = names !== undefined && names !== null;
  return {
    toolNames: hasNames ? readNames(names, `${param}.tool_names`) : null,
    isReadOnly: isReadOnly ?? null,
  };
}

function readNames(value: unknown, param: string): readonly string[] {
  const names = asArray(value).flatMap((name) => asString(name) ?? []);
  const isList = Array.isArray(value) && names.length === value.length && names.length <= NAMES_MAX;
  if (isList) return names;
  throw invalidValue(param, `expected a list of at most ${NAMES_MAX} names of tools`);
}
