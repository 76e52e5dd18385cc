// Runs a client's call of a tool, and answers it: as JSON, or as events while it works.
import { Fault, toFault } from "../../core/faults/fault.ts";
import { asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ToolProgress, ToolReply } from "../../core/tools/tool-reply.ts";
import { makeToolNotAllowed } from "../../core/tools/tool-right.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline } from "../../core/world/world.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { nameOwner } from "../../gateway/tools/server-sessions.ts";
import type { SentTool, ToolOutcome } from "../../gateway/tools/tool-runs.ts";
import type { ToolForm } from "../../operations/tool/form.ts";
import { nameResources } from "../../tools/wire/client-answers.ts";
import { CODES } from "../../tools/wire/eras.ts";
import type { MethodName } from "../../tools/wire/methods.ts";
import { writeError, writeResult } from "../../tools/wire/rpc.ts";
import { ClientWatch } from "../door/client-watch.ts";
import { logRefusal } from "../door/refused.ts";
import { createAnswerResponse, createJsonResponse } from "../serve/answers.ts";
import { factHeaders, makeReader } from "../serve/headers.ts";
import { type CallAnswer, CallDelivery, type ProgressToken } from "./delivery.ts";
import { describeFailure, describeRefused, isLetIn, RpcRefusal } from "./errors.ts";
import { CallFinder, describeUnknown, type FoundCall, makeCard } from "./find-called.ts";
import { ARGUMENT_BYTES_MAX, refuseArguments } from "./message.ts";
import type { ToolPorts } from "./ports.ts";
import { type ClientRequest, fitTo, takesEvents } from "./rpc-request.ts";
import { type CalledCard, REFUSING, ToolCall } from "./tool-call.ts";
import { type CallPlace, CallsUnderWay } from "./under-way.ts";
import { readPass, type ToolViews } from "./view.ts";

type ToolCallContext = RequestContext<ToolForm>;

/** A call under way, and its way back to the client. */
interface RunningCall {
  readonly request: ClientRequest;
  readonly found: FoundCall;
  readonly call: ToolCall;
  readonly client: ClientWatch;
  readonly delivery: CallDelivery;
}

export class ToolCalls {
  readonly underWay = new CallsUnderWay();
  readonly #ports: ToolPorts;
  readonly #finder: CallFinder;

  constructor(ports: ToolPorts, views: ToolViews) {
    this.#ports = ports;
    this.#finder = new CallFinder(views, (request, model) => noteRefused(ports, request, model));
  }

  /** Throws an `RpcRefusal` for what isn't there. */
  async answer(request: ClientRequest): Promise<Response> {
    const { arrival, message, caller } = request;
    try {
      const finding = this.#finder.find(request);
      const found = finding instanceof Promise ? await finding : finding;
      const args = readArguments(request, found);
      const bytes = Buffer.byteLength(JSON.stringify(args));
      if (bytes > ARGUMENT_BYTES_MAX) throw refuseArguments();
      const tool = {
        server: found.server.name,
        tool: found.tool,
        error: null,
        argumentBytes: bytes,
        resultBytes: null,
      };
      const called = { card: makeCard(found), tool, right: found.right };
      const call = new ToolCall(this.#ports, arrival, caller, called, args);
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

  #respond(request: ClientRequest, found: FoundCall, call: ToolCall, called: CalledCard): Promise<Response> {
    const { deadlines, server } = this.#ports;
    const hasEvents = takesEvents(request);
    const client = new ClientWatch(this.#ports, request.arrival, call.ending);
    const delivery = new CallDelivery({
      deadlines,
      keepAliveMs: server.keepAliveMs,
      token: hasEvents ? readToken(request) : null,
      takesEvents: hasEvents,
      ending: call.ending,
    });
    void this.#run({ request, found, call, client, delivery }, called);
    return delivery.first.then((answer) => {
      if (answer !== null) return respondWhole(answer);
      client.whenGone(() => delivery.leave());
      return delivery.stream();
    });
  }

  /** Never rejects. */
  async #run(running: RunningCall, { card, tool }: CalledCard): Promise<void> {
    const { toolRuns, clock, deadlines } = this.#ports;
    const { request, call, client, delivery } = running;
    const { caller, session, message } = request;
    let context: ToolCallContext | null = null;
    let place: CallPlace | null = null;
    let limit: Deadline | null = null;
    let answer: CallAnswer;
    try {
      context = toolRuns.begin(call, card);
      // With an Idempotency-Key a call outlives its client's connection, but not what the client says of it.
      const { ending } = context;
      place = this.underWay.add({ keyId: caller.key.id, session, id: message.id }, ending);
      if (Number.isFinite(call.limitAtMs)) limit = deadlines.watch(call.limitAtMs, makeLimit(ending));
      const outcome = await toolRuns.run(context, tool, (sent) => this.#send(running, sent));
      const headers = factHeaders(context, makeReader(clock, READER));
      answer = { status: 200, message: writeOutcome(running, outcome), headers };
    } catch (thrown) {
      answer = this.#describe(request, context, thrown);
    } finally {
      if (place !== null) this.underWay.remove(place);
      limit?.clear();
      client.end();
    }
    delivery.end(answer);
  }

  #send({ request, found, delivery }: RunningCall, sent: SentTool): Promise<ToolReply> {
    const { server, name, fault } = found;
    if (fault !== null) return Promise.reject(fault);
    const { caller, session, arrival, method } = request;
    const { key } = caller;
    const call = {
      method: readCalled(method),
      target: method === "resources/read" ? String(sent.arguments.uri) : name,
      arguments: sent.arguments,
      key,
      owner: nameOwner({ accountId: key.accountId, keyId: key.id, session }),
      meta: makeMeta(sent.traceparent),
      client: sent.ending,
      onProgress: readToken(request) === null ? null : (progress: ToolProgress) => delivery.report(progress),
      onSend: () => {
        sent.onSend();
        delivery.begin();
      },
    };
    return this.#ports.toolServers.call(server.name, call, readPass(server, arrival.request.headers));
  }

  #describe(request: ClientRequest, context: ToolCallContext | null, thrown: unknown): CallAnswer {
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

  #logRefused({ arrival }: ClientRequest, context: ToolCallContext | null, fault: Fault): void {
    logRefusal(this.#ports, arrival, REFUSING, context, fault);
  }
}

const READER = { family: "openai" } as const;

function respondWhole({ status, message, headers }: CallAnswer): Response {
  return status === 200
    ? createAnswerResponse(JSON.stringify(message), headers)
    : createJsonResponse(status, message, headers);
}

function writeOutcome({ request, found }: RunningCall, outcome: ToolOutcome): JsonObject {
  const { message, viewer } = request;
  if (outcome.kind === "error") return writeError(message.id, outcome.error);
  const named = viewer.server === null ? nameResources(outcome.result, found.server.name) : outcome.result;
  return writeResult(message.id, fitTo(request, named));
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

/** Throws the `RpcRefusal` of arguments that are no object: a call without them would be another one. */
function readArguments({ message: { id, params } }: ClientRequest, { tool, name }: FoundCall): JsonObject {
  if (tool === "resources/read") return { uri: name };
  const given = params.arguments ?? {};
  if (!isObject(given))
    throw new RpcRefusal(200, id, { code: CODES.params, message: "`arguments` must be an object." });
  return given;
}

function readToken({ message: { params } }: ClientRequest): ProgressToken {
  if (params._meta === undefined) return null;
  const { progressToken } = asObject(params._meta);
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : null;
}

function readCalled(method: MethodName): "tools/call" | "prompts/get" | "resources/read" {
  return method === "resources/read" || method === "prompts/get" ? method : "tools/call";
}

/** Nothing else of a client's own `_meta` goes on: no hook has seen it, and a server has no claim to it. */
function makeMeta(traceparent: string | null): JsonObject {
  return traceparent === null ? NO_META : { traceparent };
}

const NO_META: JsonObject = Object.freeze({});
