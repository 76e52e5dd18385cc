// The tools that a request's servers show to its sender, and what is behind their names.
import { Fault } from "../../../core/faults/fault.ts";
import { parseReceived } from "../../../core/json/bounds.ts";
import { asObject, isObject, type JsonObject } from "../../../core/json/json.ts";
import type { GatewayKey } from "../../../core/keys/key.ts";
import type { AllowedTools } from "../../../core/limits/member-limits.ts";
import type { ToolServer } from "../../../core/tools/tool-server.ts";
import type { NamedServer, ShownServer, ShownTool } from "../../../surfaces/gateway-tools.ts";
import type { MirroredTool } from "../../../tools/mirror.ts";
import { makeToolName } from "../../../tools/names.ts";
import type { ToolViews } from "../view.ts";

/** A tool behind the name that an answer shows. */
export interface ToolPlace {
  readonly server: string;
  /** The server's own name of it. */
  readonly tool: string;
  /** The sender's headers, with what the request itself gives for the server. */
  readonly headers: Headers;
}

interface Sender {
  readonly key: GatewayKey;
  readonly headers: Headers;
  readonly levels: readonly AllowedTools[];
}

export class ShownTools {
  readonly servers: readonly ShownServer[];
  readonly #named: readonly NamedServer[];
  readonly #places: ReadonlyMap<string, ToolPlace>;

  /** The servers stand in the order of their names. */
  constructor(
    named: readonly NamedServer[],
    servers: readonly ShownServer[],
    places: ReadonlyMap<string, ToolPlace>,
  ) {
    this.#named = named;
    this.servers = servers;
    this.#places = places;
  }

  /** Undefined for a tool that isn't shown. */
  find(label: string, name: string): ToolPlace | undefined {
    return this.#places.get(nameplate(label, name));
  }

  /** A refusal of all tools together counts functions of which the client has seen none, so it says where they come from. */
  explain(fault: Fault): Fault {
    if (fault.details.param !== "tools") return fault;
    const counts = this.#named.map(({ path }, at) => ({ path, count: this.servers[at]?.tools.length ?? 0 }));
    const [most] = counts.toSorted((one, other) => other.count - one.count);
    if (most === undefined || most.count === 0) return fault;
    const words = `The model gets the tools of '${most.path}' as ${most.count} functions, of which '${most.path}.allowed_tools' can choose some.`;
    return new Fault(fault.code, `${fault.message} ${words}`, fault.details);
  }
}

function nameplate(label: string, name: string): string {
  return JSON.stringify([label, name]);
}

/** Throws the Fault of a server that isn't there for the sender. */
export async function showTools(
  views: ToolViews,
  sender: Sender,
  named: readonly NamedServer[],
): Promise<ShownTools> {
  const places = new Map<string, ToolPlace>();
  const servers = await Promise.all(named.map((one) => showServer(views, sender, one, places)));
  return new ShownTools(named, servers, places);
}

async function showServer(
  views: ToolViews,
  { key, headers, levels }: Sender,
  named: NamedServer,
  places: Map<string, ToolPlace>,
): Promise<ShownServer> {
  const server = named.server === null ? null : views.findServer(named.server, levels);
  if (server === null && named.server !== null) throw refuseServer(named.server, named.addressPath);
  const own = addAuthorization(headers, server, named);
  const viewer = { key, headers: own, server, levels };
  const { list, unavailable } = await views.find(viewer);
  const tools: ShownTool[] = [];
  for (const { name, server: holder, tool } of list.tools.values()) {
    if (!isWanted(named, name, tool)) continue;
    places.set(nameplate(named.label, name), { server: holder.name, tool: tool.name, headers: own });
    tools.push(describeTool(name, holder, tool));
  }
  const missing = views.listServers(viewer).filter(({ name }) => unavailable.includes(name));
  const errors = missing.map((one) => views.explainMissing(one, own).message);
  return { label: named.label, tools, error: errors.length === 0 ? null : errors.join(" ") };
}

function isWanted({ toolNames, isReadOnly }: NamedServer, name: string, tool: MirroredTool): boolean {
  if (toolNames !== null && !toolNames.includes(name)) return false;
  return isReadOnly === null || tool.isReadOnly === isReadOnly;
}

const annotations = new WeakMap<MirroredTool, { readonly given: JsonObject | undefined }>();

function describeTool(name: string, holder: ToolServer, tool: MirroredTool): ShownTool {
  const { description, inputSchema } = tool;
  const { given } = annotations.getOrInsertComputed(tool, readAnnotations);
  return {
    name,
    fullName: makeToolName(holder.name, tool.name),
    description,
    inputSchema,
    annotations: given,
  };
}

/** They are only kept as a part of the tool's JSON. */
function readAnnotations({ members }: MirroredTool): { readonly given: JsonObject | undefined } {
  const { annotations: given } = asObject(parseReceived(`{${members}}`));
  return { given: isObject(given) ? given : undefined };
}

const BEARER = "Bearer ";

/** A token without a scheme is a bearer's, as with OpenAI. */
function addAuthorization(
  headers: Headers,
  server: ToolServer | null,
  { authorization, path }: NamedServer,
): Headers {
  if (authorization === null) return headers;
  if (server === null || server.auth.kind !== "pass") throw refuseAuthorization(`${path}.authorization`);
  const own = new Headers(headers);
  own.set(server.auth.header, authorization.includes(" ") ? authorization : BEARER + authorization);
  return own;
}

const SHOWN_CHARACTERS_MAX = 100;

/** The same for one that isn't there and for one of which the key may use nothing. */
function refuseServer(name: string, param: string): Fault {
  const shown = name.slice(0, SHOWN_CHARACTERS_MAX);
  const message = `'${param}' is not supported here. There is no tool server '${shown}' that this key may use.`;
  return new Fault("unsupported_parameter", message, { param });
}

function refuseAuthorization(param: string): Fault {
  const message = `'${param}' is not supported here. The gateway proves itself to this tool server; only one with 'auth: { pass: … }', named by itself, takes the client's own credential.`;
  return new Fault("unsupported_parameter", message, { param });
}
