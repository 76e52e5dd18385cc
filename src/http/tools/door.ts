// The addresses of tool servers: who may speak, what a message is, and which part of the gateway answers it.
import { Fault, toFault } from "../../core/faults/fault.ts";
import { asObject, asString } from "../../core/json/json.ts";
import type { Caller } from "../../core/keys/key.ts";
import { readVersion, type ServedVersion } from "../../tools/wire/client-request.ts";
import { CODES, type Era } from "../../tools/wire/eras.ts";
import { findMethod, METHODS, type MethodAnswer } from "../../tools/wire/methods.ts";
import {
  makeMethodError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  writeError,
  writeResult,
} from "../../tools/wire/rpc.ts";
import { SESSION_HEADER } from "../../tools/wire/server-request.ts";
import type { Arrival } from "../door/arrival.ts";
import { checkRoom } from "../door/arrive.ts";
import { logRefusal } from "../door/refused.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { addHeaders } from "../serve/app.ts";
import { identifyCaller } from "../serve/auth.ts";
import { ToolCalls } from "./calls.ts";
import { RpcRefusal, respondFault, respondRefusal } from "./errors.ts";
import { Listeners, refuseStream } from "./listeners.ts";
import { ToolLists } from "./lists.ts";
import { readRpc } from "./message.ts";
import { checkPageOrigin } from "./page-origin.ts";
import type { ToolPorts } from "./ports.ts";
import type { ClientRequest } from "./rpc-request.ts";
import { REFUSING } from "./tool-call.ts";
import type { ToolViews, Viewer } from "./view.ts";

/** A sender who may speak at the address. */
interface ToolVisitor {
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly viewer: Viewer;
}

type MethodAnswerer = (request: ClientRequest) => Response | Promise<Response>;

const ACCEPTED = 202;
const NO_CONTENT = 204;
const SHOWN_CHARACTERS_MAX = 100;

export class ToolDoor {
  readonly #ports: ToolPorts;
  readonly #calls: ToolCalls;
  readonly #views: ToolViews;
  readonly #answers: Readonly<Record<MethodAnswer, MethodAnswerer>>;
  readonly listeners: Listeners;

  constructor(ports: ToolPorts, views: ToolViews) {
    this.#ports = ports;
    this.#views = views;
    this.#calls = new ToolCalls(ports, views);
    this.listeners = new Listeners(ports, views);
    this.#answers = this.#makeAnswers(new ToolLists(ports, views, this.listeners));
  }

  /** `name` is the server of the path, or null. */
  async post(arrival: Arrival, name: string | null): Promise<Response> {
    let id: RpcRequest["id"] | null = null;
    try {
      const entering = this.#enter(arrival, name);
      const visitor = entering instanceof Promise ? await entering : entering;
      const message = await readRpc(this.#ports, arrival, visitor.caller.key.accountId);
      if (message.kind === "request" || message.kind === "invalid") ({ id } = message);
      return addHeaders(await this.#read(visitor, message), arrival.set);
    } catch (thrown) {
      return this.#explain(arrival, id, thrown);
    } finally {
      // A call that goes on has its own copy.
      arrival.held.release();
    }
  }

  /** Opens the listening stream of an older client. */
  get(arrival: Arrival, name: string | null): Promise<Response> {
    return this.#answer(arrival, async () => {
      const visitor = await this.#enter(arrival, name);
      const session = await this.#readSession(visitor);
      if (session === null) throw refuseStream();
      return this.listeners.openOlder(arrival, visitor.viewer);
    });
  }

  /** Ends a session. */
  delete(arrival: Arrival, name: string | null): Promise<Response> {
    return this.#answer(arrival, async () => {
      const visitor = await this.#enter(arrival, name);
      const session = await this.#readSession(visitor);
      if (session === null) throw refuseEnd();
      await this.#ports.clientSessions.end(visitor.caller.key, session);
      return new Response(null, { status: NO_CONTENT });
    });
  }

  async #answer(arrival: Arrival, work: () => Promise<Response>): Promise<Response> {
    try {
      return addHeaders(await work(), arrival.set);
    } catch (thrown) {
      return this.#explain(arrival, null, thrown);
    } finally {
      arrival.held.release();
    }
  }

  /** Returns the answer to what a message has thrown, unless it has one in the usual form, whose cause is logged. */
  #explain(arrival: Arrival, id: RpcRequest["id"] | null, thrown: unknown): Response {
    arrival.held.discard();
    if (thrown instanceof RpcRefusal) return addHeaders(respondRefusal(thrown), arrival.set);
    const fault = toFault(thrown);
    if (fault.code === "internal_error" || fault.code === "unknown_url") throw thrown;
    logRefusal(this.#ports, arrival, REFUSING, null, fault);
    return addHeaders(respondFault(fault, id, arrival.requestId), arrival.set);
  }

  /** Without a promise for a key that is remembered. */
  #enter(arrival: Arrival, name: string | null): ToolVisitor | Promise<ToolVisitor> {
    if (this.#ports.toolRules() === undefined) throw makeOff();
    checkPageOrigin(arrival.request, this.#ports.server);
    const proving = identifyCaller(this.#ports, arrival);
    return proving instanceof Promise
      ? proving.then((caller) => this.#admit(arrival, name, caller))
      : this.#admit(arrival, name, proving);
  }

  #admit(arrival: Arrival, name: string | null, caller: Caller): ToolVisitor | Promise<ToolVisitor> {
    arrival.key = caller.key;
    checkRoom(this.#ports);
    const levels = this.#ports.toolLevels(caller.key);
    return levels instanceof Promise
      ? levels.then((found) => this.#see(arrival, name, caller, found))
      : this.#see(arrival, name, caller, levels);
  }

  #see(arrival: Arrival, name: string | null, caller: Caller, levels: Viewer["levels"]): ToolVisitor {
    const server = name === null ? null : this.#views.findServer(name, levels);
    if (name !== null && server === null) throw refuseServer(name);
    const { headers } = arrival.request;
    return { arrival, caller, viewer: { key: caller.key, headers, server, levels } };
  }

  #read(visitor: ToolVisitor, message: RpcMessage): Response | Promise<Response> {
    if (message.kind === "invalid")
      throw new RpcRefusal(400, message.id, { code: CODES.request, message: message.reason });
    // Clients of the older era answer what a server asks them. Nothing of it is passed on.
    if (message.kind === "response") return new Response(null, { status: ACCEPTED });
    const { headers } = visitor.arrival.request;
    const version = readVersion(message, (header) => headers.get(header));
    if (version.kind === "refused")
      throw new RpcRefusal(400, message.kind === "request" ? message.id : null, version.error);
    const isSessionless = version.era === "newer" || message.method === "initialize";
    const session = isSessionless ? null : this.#readSession(visitor);
    return session === null
      ? this.#take(visitor, message, version, null)
      : session.then((id) => this.#take(visitor, message, version, id));
  }

  #take(
    { arrival, caller, viewer }: ToolVisitor,
    message: RpcRequest | RpcNotification,
    { era, version }: ServedVersion,
    session: string | null,
  ): Response | Promise<Response> {
    if (message.kind === "notification") {
      if (message.method === "notifications/cancelled")
        this.#cancel(caller, session, message.params.requestId);
      return new Response(null, { status: ACCEPTED });
    }
    const method = findMethod(message.method, era);
    if (method === null) return refuseMethod(message, era);
    const answer = this.#answers[METHODS[method].answer];
    return answer({ arrival, caller, viewer, message, method, era, version, session });
  }

  #makeAnswers(lists: ToolLists): Readonly<Record<MethodAnswer, MethodAnswerer>> {
    return {
      nothing: ({ message }) => createJsonResponse(200, writeResult(message.id, {})),
      start: (request) => lists.initialize(request),
      discovery: (request) => lists.discover(request),
      tools: (request) => lists.list(request, "tools"),
      prompts: (request) => lists.list(request, "prompts"),
      resources: (request) => lists.list(request, "resources"),
      resourceTemplates: (request) => lists.list(request, "resourceTemplates"),
      call: (request) => this.#call(request),
      listening: (request) => this.listeners.openNewer(request),
    };
  }

  #call(request: ClientRequest): Promise<Response> {
    const { arrival, message } = request;
    const given = asString(asObject(message.params._meta).traceparent) ?? null;
    const header = arrival.request.headers.get("traceparent") ?? given;
    arrival.trace = this.#ports.traces.begin(header, arrival);
    nameTraced(request);
    return this.#calls.answer(request);
  }

  /** Null if the client names no session. Rejects with the refusal of one that it can't use. */
  #readSession({ arrival, caller }: ToolVisitor): null | Promise<string> {
    const id = arrival.request.headers.get(SESSION_HEADER);
    return id === null ? null : this.#checkSession(caller, id);
  }

  async #checkSession({ key }: Caller, id: string): Promise<string> {
    if (await this.#ports.clientSessions.knows(key, id)) return id;
    throw new Fault("not_found", "Unknown session: begin another one with `initialize`.");
  }

  #cancel({ key }: Caller, session: string | null, id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint") return;
    this.#calls.underWay.cancel({ keyId: key.id, session, id });
  }
}

/** Says in the request's spans what is called. */
function nameTraced({ arrival, message, method, version }: ClientRequest): void {
  const { recording = null } = arrival.trace ?? {};
  if (recording === null) return;
  const name = asString(message.params.name) ?? asString(message.params.uri) ?? "";
  recording.tool = { method, version, name: name.slice(0, SHOWN_CHARACTERS_MAX), rpcId: String(message.id) };
}

function makeOff(): Fault {
  const message =
    "Tool servers are off here: the operator can name some under `mcp.servers` in the configuration.";
  return new Fault("unknown_url", message);
}

/** The same for one that isn't there and for one of which the key may use nothing. */
function refuseServer(name: string): Fault {
  const shown = name.slice(0, SHOWN_CHARACTERS_MAX);
  return new Fault("not_found", `There is no tool server '${shown}' that this key may use.`);
}

function refuseEnd(): Fault {
  const message = "There is no session to end here: name it in the header `Mcp-Session-Id`.";
  return new Fault("method_not_supported", message, { allow: "POST" });
}

function refuseMethod({ id, method }: RpcRequest, era: Era): Response {
  return createJsonResponse(era === "newer" ? 404 : 200, writeError(id, makeMethodError(method)));
}
