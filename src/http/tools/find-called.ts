// Finds what a call means: the server and the tool, resource or prompt behind the name that a client uses.
import type { Fault } from "../../core/faults/fault.ts";
import { matchesPatterns } from "../../core/fields/tool-list.ts";
import { asObject, asString } from "../../core/json/json.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { isToolAllowed, isWholeServerAllowed } from "../../core/tools/patterns.ts";
import { makeFullName, nameToolModel } from "../../core/tools/rules.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import type { ToolRight } from "../../core/tools/tool-right.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeToolCard } from "../../gateway/tools/tool-card.ts";
import type { MirroredTool } from "../../tools/mirror.ts";
import { findNamedTool } from "../../tools/named-tools.ts";
import { splitResourceUri } from "../../tools/names.ts";
import { makeHeaderError } from "../../tools/wire/client-request.ts";
import { CODES } from "../../tools/wire/eras.ts";
import { compareParameters, type HeaderParameter } from "../../tools/wire/header-parameters.ts";
import { RpcRefusal } from "./errors.ts";
import type { ClientRequest } from "./rpc-request.ts";
import type { ToolViews, Viewer } from "./view.ts";

/** A call that is understood: the name is the server's own. */
export interface FoundCall {
  readonly server: ToolServer;
  /** The tool, or `resources/read` and `prompts/get`. */
  readonly tool: string;
  /** The server's own name of the tool or the prompt, or the address of the resource. */
  readonly name: string;
  readonly priceNanoUsd: NanoUsd;
  readonly right: ToolRight;
  /** Fails the call before anything is sent: whether there is such a tool or prompt can't be known at the moment. */
  readonly fault: Fault | null;
}

/** Notes a call that the key may not make, for the operator. */
type NoteRefused = (request: ClientRequest, model: string) => void;

/** Names that may have been shortened: what they were is only known by the server's list. */
const SHORTENED = /_[0-9a-f]{6}$/;

export class CallFinder {
  readonly #views: ToolViews;
  readonly #noteRefused: NoteRefused;

  constructor(views: ToolViews, noteRefused: NoteRefused) {
    this.#views = views;
    this.#noteRefused = noteRefused;
  }

  /** Without a promise for a tool of a server whose list is fresh. Throws the `RpcRefusal` of what isn't there for the key. */
  find(request: ClientRequest): FoundCall | Promise<FoundCall> {
    switch (request.method) {
      case "resources/read":
        return this.#findResource(request);
      case "prompts/get":
        return this.#findPrompt(request);
      default:
        return this.#findTool(request);
    }
  }

  #findTool(request: ClientRequest): FoundCall | Promise<FoundCall> {
    const { viewer, message } = request;
    const name = asString(message.params.name) ?? "";
    const server = this.#findServer(viewer, name);
    if (server === null) {
      this.#noteOther(request, name);
      throw refuseUnknown(request, "tool", name);
    }
    const known = this.#views.peekMirror(server, viewer);
    const tool = known && findNamedTool(known, server, viewer.levels, name, viewer.server === null);
    if (tool !== null) return this.#describeTool(request, server, tool);
    const own = viewer.server === null ? name.slice(server.name.length + 1) : name;
    if (!(SHORTENED.test(name) || isAllowed(viewer, server, own))) {
      this.#noteRefused(request, nameToolModel(server.name, own));
      throw refuseUnknown(request, "tool", name);
    }
    return this.#askFor(request, server, name, own);
  }

  /** `own` is the server's name of it if that isn't shortened. */
  async #askFor(request: ClientRequest, server: ToolServer, name: string, own: string): Promise<FoundCall> {
    const { viewer } = request;
    const mirror = await this.#views.findMirror(server, viewer);
    const tool = mirror && findNamedTool(mirror, server, viewer.levels, name, viewer.server === null);
    if (tool !== null) return this.#describeTool(request, server, tool);
    if (mirror !== null) throw refuseUnknown(request, "tool", name);
    const fault = this.#views.explainMissing(server, viewer.headers);
    return describeFound(server, own, fault);
  }

  #describeTool(request: ClientRequest, server: ToolServer, { name, parameters }: MirroredTool): FoundCall {
    this.#checkHeaders(request, parameters);
    return describeFound(server, name, null);
  }

  /** Clients of the newer era repeat some arguments in headers. */
  #checkHeaders({ era, message, arrival }: ClientRequest, parameters: readonly HeaderParameter[]): void {
    if (era === "older") return;
    const { headers } = arrival.request;
    const given = asObject(message.params.arguments);
    const mistake = compareParameters(parameters, given, (name) => headers.get(name));
    if (mistake !== null) throw new RpcRefusal(400, message.id, makeHeaderError(mistake));
  }

  async #findPrompt(request: ClientRequest): Promise<FoundCall> {
    const { viewer, message } = request;
    const name = asString(message.params.name) ?? "";
    const server = this.#findServer(viewer, name);
    if (server === null || !server.prompts || !isWholeServerAllowed(viewer.levels, server.name))
      throw refuseUnknown(request, "prompt", name);
    const { list, unavailable } = await this.#views.find(viewer, [server]);
    const found = list.prompts.get(name);
    const fault = unavailable.length > 0 ? this.#views.explainMissing(server, viewer.headers) : null;
    if (found === undefined && fault === null) throw refuseUnknown(request, "prompt", name);
    const right = { server: server.name, tool: null };
    return { server, tool: "prompts/get", name: found?.entry.key ?? name, priceNanoUsd: 0, right, fault };
  }

  async #findResource(request: ClientRequest): Promise<FoundCall> {
    const { viewer, message } = request;
    const uri = asString(message.params.uri) ?? "";
    const split = viewer.server === null ? splitResourceUri(uri) : { server: viewer.server.name, uri };
    const server = this.#views.listServers(viewer).find((one) => one.name === split?.server);
    const isReadable = server?.resources && isWholeServerAllowed(viewer.levels, server.name);
    if (!(split && server && isReadable)) throw refuseUnknown(request, "resource", uri);
    const right = { server: server.name, tool: null };
    return { server, tool: "resources/read", name: split.uri, priceNanoUsd: 0, right, fault: null };
  }

  /** No server's name contains the `_` after it. */
  #findServer(viewer: Viewer, name: string): ToolServer | null {
    if (viewer.server !== null) return viewer.server;
    const before = name.slice(0, Math.max(name.indexOf("_"), 0));
    return this.#views.findServer(before, viewer.levels);
  }

  /** Notes the call of a server that is there, and of which the key may use nothing. */
  #noteOther(request: ClientRequest, name: string): void {
    const at = name.indexOf("_");
    if (at > 0 && this.#views.isConfigured(name.slice(0, at)))
      this.#noteRefused(request, nameToolModel(name.slice(0, at), name.slice(at + 1)));
  }
}

const SHOWN_CHARACTERS_MAX = 200;

function refuseUnknown({ message }: ClientRequest, what: string, name: string): RpcRefusal {
  return new RpcRefusal(200, message.id, makeUnknown(what, name));
}

function makeUnknown(what: string, name: string): ToolProtocolError {
  return { code: CODES.params, message: `Unknown ${what}: ${name.slice(0, SHOWN_CHARACTERS_MAX)}` };
}

/** The same for a call whose right was taken away while it came. */
export function describeUnknown({ method, message: { params } }: ClientRequest): ToolProtocolError {
  if (method === "resources/read") return makeUnknown("resource", asString(params.uri) ?? "");
  return makeUnknown(method === "prompts/get" ? "prompt" : "tool", asString(params.name) ?? "");
}

function isAllowed({ levels }: Viewer, server: ToolServer, tool: string): boolean {
  return matchesPatterns(server.tools, tool) && isToolAllowed(levels, makeFullName(server.name, tool));
}

function describeFound(server: ToolServer, tool: string, fault: Fault | null): FoundCall {
  const priceNanoUsd = server.prices.get(tool) ?? server.pricePerCall;
  return { server, tool, name: tool, priceNanoUsd, right: { server: server.name, tool }, fault };
}

export function makeCard({ server, tool, priceNanoUsd }: FoundCall) {
  return makeToolCard(server.name, tool, priceNanoUsd);
}
