// Runs a client's call of a tool, and answers it: as JSON, or as events while it works.
import { Fault, toFault } from "../../core/fault.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { ToolProgress, ToolReply } from "../../core/tools/tool-reply.ts";
import { makeToolNotAllowed } from "../../core/tools/tool-right.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline } from "../../core/world/world.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { nameOwner } from "../../gateway/tools/server-sessions.ts";
import type { SentTool } from "../../gateway/tools/tool-runs.ts";
import type { ToolForm } from "../../operations/tool/form.ts";
import { nameResources } from "../../tools/wire/client-answers.ts";
import type { MethodName } from "../../tools/wire/methods.ts";
import { writeError, writeNotification, writeResult } from "../../tools/wire/rpc.ts";
import type { HeaderMap } from "../serve/answers.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { ClientWatch } from "../serve/client-watch.ts";
import { factHeaders, makeReader } from "../serve/headers.ts";
import { logRefusal } from "../serve/refused.ts";
import { describeFailure, describeRefused, isLetIn, RpcRefusal } from "./errors.ts";
import { EventChannel } from "./events.ts";
import { CalledFinder, describeUnknown, type FoundCall, makeCard } from "./find-called.ts";
import { ARGUMENT_BYTES_MAX, refuseArguments } from "./message.ts";
import type { ToolPorts } from "./ports.ts";
import { type ClientRequest, fitTo, takesEvents } from "./rpc-request.ts";
import { type CalledCard, REFUSING, ToolCall } from "./tool-call.ts";
import { CallsUnderWay } from "./under-way.ts";
import { readPass, type ToolViews } from "./view.ts";

type ToolContext = RequestContext<ToolForm>;

/** The answer to a call, as a JSON-RPC message. */
interface CallAnswer {
  readonly status: number;
  readonly message: JsonObject;
  readonly headers: HeaderMap;
}

/** Does something with a call's progress, which may come before anybody knows what to do with it. */
type Report = (progress: ToolProgress) => void;

export class ToolCalls {
  readonly underWay = new CallsUnderWay();
  readonly #ports: ToolPorts;
  readonly #finder: CalledFinder;

  constructor(ports: ToolPorts, views: ToolViews) {
    this.#ports = ports;
    this.#finder = new CalledFinder(views, (request, model) => noteRefused(ports, request, model));
  }

  /** Throws an `RpcRefusal` for what isn't there. */
  async answer(request: ClientRequest): Promise<Response> {
    const { arrival, message, caller } = request;
    try {
      const found = await this.#finder.find(request);
      const given = readArguments(request, found);
      const bytes = Buffer.byteLength(JSON.stringify(given));
      if (bytes > ARGUMENT_BYTES_MAX) throw refuseArguments();
      const tool = {
        server: found.server.name,
        tool: found.tool,
        error: null,
        argumentBytes: bytes,
        resultBytes: null,
      };
      const called = { card: makeCard(found), tool, right: found.right };
      const call = new ToolCall(this.#ports, arrival, caller, called, given);
      return await this.#respond(request, found, call, called);
    } catch (thrown) {
      const fault = toFault(thrown);
      if (thrown instanceof RpcRefusal || fault.code === "request_too_large" || !isLetIn(fault)) throw thrown;
      logBug(this.#ports, thrown);
      this.#logRefused(request, null, fault);
      const result = fitTo(request, describeFailure(fault, arrival.requestId));
      return createJsonResponse(200, writeResult(message.id, result));
    }
  }

  async #respond(
    request: ClientRequest,
    found: FoundCall,
    call: ToolCall,
    called: CalledCard,
  ): Promise<Response> {
    const { deadlines, server } = this.#ports;
    const { arrival } = request;
    const client = new ClientWatch(this.#ports, arrival, call.ending);
    const channel = new EventChannel({
      deadlines,
      keepAliveMs: server.keepAliveMs,
      onLeft: () => call.ending.end(),
    });
    const sending = Promise.withResolvers<void>();
    const token = takesEvents(request) ? readToken(request) : null;
    const report = (progress: ToolProgress) => {
      if (token !== null) channel.send(writeProgress(token, progress));
    };
    const running = this.#run(request, found, call, called, { report, onSend: sending.resolve }).finally(() =>
      client.end(),
    );
    const isStreamed = await this.#mustStream(running, token === null ? null : sending.promise, request);
    if (!isStreamed) return respondWhole(await running);
    client.whenGone(() => channel.cancel());
    void running.then(({ message }) => channel.end(JSON.stringify(message)));
    return channel.respond({});
  }

  /** True if the answer is one of events: at once if the client asks for progress, else once it takes long. */
  async #mustStream(
    running: Promise<CallAnswer>,
    sending: Promise<void> | null,
    request: ClientRequest,
  ): Promise<boolean> {
    const over = running.then(() => false);
    if (sending !== null) return Promise.race([over, sending.then(() => true)]);
    if (!takesEvents(request)) return over;
    const { deadlines, server } = this.#ports;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const deadline = deadlines.watch(deadlines.nowMs() + server.keepAliveMs, { late: () => resolve(true) });
    const isLate = await Promise.race([over, late]);
    deadline.clear();
    return isLate;
  }

  /** Never rejects. */
  async #run(
    request: ClientRequest,
    found: FoundCall,
    call: ToolCall,
    { card, tool }: CalledCard,
    { report, onSend }: { readonly report: Report; readonly onSend: () => void },
  ): Promise<CallAnswer> {
    const { toolRuns, clock, deadlines } = this.#ports;
    const { caller, session, message, viewer } = request;
    let context: ToolContext | null = null;
    let leave = () => {};
    let limit: Deadline | null = null;
    try {
      context = toolRuns.begin(call, card);
      // With an Idempotency-Key a call outlives its client's connection, but not what the client says of it.
      const { ending } = context;
      leave = this.underWay.add({ keyId: caller.key.id, session, id: message.id }, ending);
      if (Number.isFinite(call.limitAtMs)) limit = deadlines.watch(call.limitAtMs, makeLimit(ending));
      const outcome = await toolRuns.run(context, tool, (sent) => {
        const onSent = () => {
          sent.onSend();
          onSend();
        };
        return this.#send(request, found, { ...sent, onSend: onSent }, report);
      });
      const headers = factHeaders(context, makeReader(clock, READER));
      if (outcome.kind === "error")
        return { status: 200, message: writeError(message.id, outcome.error), headers };
      const named =
        viewer.server === null ? nameResources(outcome.result, found.server.name) : outcome.result;
      return { status: 200, message: writeResult(message.id, fitTo(request, named)), headers };
    } catch (thrown) {
      return this.#describe(request, context, thrown);
    } finally {
      leave();
      limit?.clear();
    }
  }

  #send(
    request: ClientRequest,
    { server, name, fault }: FoundCall,
    sent: SentTool,
    report: Report,
  ): Promise<ToolReply> {
    if (fault !== null) return Promise.reject(fault);
    const { caller, session, arrival, method } = request;
    const { key } = caller;
    const call = {
      method: readCalled(method),
      target: method === "resources/read" ? String(sent.arguments.uri) : name,
      arguments: sent.arguments,
      owner: nameOwner({ accountId: key.accountId, keyId: key.id, session }),
      meta: makeMeta(sent.traceparent),
      client: sent.ending,
      onProgress: readToken(request) === null ? null : report,
      onSend: sent.onSend,
    };
    return this.#ports.toolServers.call(server.name, call, readPass(server, arrival.request.headers));
  }

  #describe(request: ClientRequest, context: ToolContext | null, thrown: unknown): CallAnswer {
    const { arrival, message } = request;
    const fault = toFault(thrown);
    logBug(this.#ports, thrown);
    if (fault.code === "tool_not_allowed") {
      if (context !== null) noteRefused(this.#ports, request, context.call.ask.model);
      return { status: 200, message: writeError(message.id, describeUnknown(request)), headers: {} };
    }
    if (context === null || context.attempts === 0) this.#logRefused(request, context, fault);
    const headers = context === null ? {} : factHeaders(context, makeReader(this.#ports.clock, READER));
    if (!isLetIn(fault)) return { ...describeRefused(fault, message.id, arrival.requestId), headers };
    const result = fitTo(request, describeFailure(fault, arrival.requestId));
    return { status: 200, message: writeResult(message.id, result), headers };
  }

  #logRefused({ arrival }: ClientRequest, context: ToolContext | null, fault: Fault): void {
    logRefusal(this.#ports, arrival, REFUSING, context, fault);
  }
}

const READER = { family: "openai" } as const;

function respondWhole({ status, message, headers }: CallAnswer): Response {
  return createJsonResponse(status, message, headers);
}

/** To the client, there is no such tool; the operator sees that it may not call it. */
function noteRefused(ports: ToolPorts, { arrival }: ClientRequest, model: string): void {
  arrival.modelAsked = model;
  logRefusal(ports, arrival, REFUSING, null, makeToolNotAllowed());
}

function makeLimit(ending: Ending) {
  const message =
    "The tool did not answer in time (limited by x-poundkey-timeout). The call may have been carried out.";
  return { late: () => ending.end(new Fault("client_timeout", message, { shownCode: "tool_timeout" })) };
}

function readArguments({ message: { params } }: ClientRequest, { tool, name }: FoundCall): JsonObject {
  return tool === "resources/read" ? { uri: name } : asObject(params.arguments);
}

/** The token under which the client wants to hear of progress. Null if it doesn't. */
function readToken({ message: { params } }: ClientRequest): string | number | null {
  const { progressToken } = asObject(params._meta);
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : null;
}

function writeProgress(token: string | number, progress: ToolProgress): string {
  return JSON.stringify(writeNotification("notifications/progress", { progressToken: token, ...progress }));
}

function readCalled(method: MethodName): "tools/call" | "prompts/get" | "resources/read" {
  return method === "resources/read" || method === "prompts/get" ? method : "tools/call";
}

/** Nothing else of a client's own `_meta` goes on: no hook has seen it, and a server has no claim to it. */
function makeMeta(traceparent: string | null): JsonObject {
  return traceparent === null ? {} : { traceparent };
}
