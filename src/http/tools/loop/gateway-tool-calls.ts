// Makes a model's call of a tool: a request of its own, with the sender's rights as they are at that moment.

import { Fault, toFault } from "../../../core/faults/fault.ts";
import { matchesPatterns } from "../../../core/fields/tool-list.ts";
import { parseExactBounded, REQUEST_SHAPE } from "../../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { GatewayToolCall, GatewayToolResult } from "../../../core/tools/gateway-tool-calls.ts";
import { nameToolModel } from "../../../core/tools/rules.ts";
import { makeToolNotAllowed } from "../../../core/tools/tool-right.ts";
import type { ToolServer } from "../../../core/tools/tool-server.ts";
import { logBug } from "../../../core/world/bug.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import { joinToolCall } from "../../../gateway/loop/part-terms.ts";
import type { JoinCall, MadeCall } from "../../../gateway/loop/port.ts";
import { nameOwner } from "../../../gateway/tools/server-sessions.ts";
import { makeToolCard } from "../../../gateway/tools/tool-card.ts";
import type { SentTool, ToolRecord } from "../../../gateway/tools/tool-runs.ts";
import type { ToolForm } from "../../../operations/tool/form.ts";
import { makeCredentialMissing, makeUnavailable } from "../../../tools/failures.ts";
import { makeToolName } from "../../../tools/names.ts";
import { CODES } from "../../../tools/wire/eras.ts";
import type { Arrival } from "../../door/arrival.ts";
import { logRefusal } from "../../door/refused.ts";
import { identifyCaller } from "../../serve/auth.ts";
import { describeFailure } from "../errors.ts";
import { ARGUMENT_BYTES_MAX } from "../message.ts";
import type { ToolPorts } from "../ports.ts";
import { REFUSING, ToolCall } from "../tool-call.ts";
import { readPass } from "../view.ts";
import type { ShownTools, ToolPlace } from "./shown-tools.ts";

type LoopToolContext = RequestContext<ToolForm>;

/** A call on its way. */
interface StartedCall {
  context: LoopToolContext | null;
  tool: ToolRecord | null;
}

interface LoopCallParts {
  readonly ports: ToolPorts;
  readonly arrival: Arrival;
  readonly shown: ShownTools;
  readonly surface: string;
}

export class GatewayToolCalls {
  readonly #parts: LoopCallParts;

  constructor(parts: LoopCallParts) {
    this.#parts = parts;
  }

  /** Never rejects: the model reads of a failure. */
  async make(call: GatewayToolCall, join: JoinCall): Promise<MadeCall> {
    const { ports, arrival } = this.#parts;
    const made: StartedCall = { context: null, tool: null };
    try {
      const result = await this.#make(call, join, made);
      return { result, context: made.context, bytes: made.tool?.resultBytes ?? 0 };
    } catch (thrown) {
      const fault = toFault(thrown);
      logBug(ports, thrown);
      const { context } = made;
      if (context === null || context.attempts === 0) this.#logRefused(call, context, fault);
      return { result: describeFault(fault, call, arrival.requestId), context, bytes: 0 };
    }
  }

  /** Tells the model that a call isn't made, because there have been as many as there may be. */
  refuse(): GatewayToolResult {
    const text = "The call was not made: this response has made as many calls of tools as it may.";
    return { kind: "result", result: { content: [{ type: "text", text }], isError: true } };
  }

  async #make(call: GatewayToolCall, join: JoinCall, made: StartedCall): Promise<GatewayToolResult> {
    const { ports, arrival, shown, surface } = this.#parts;
    const place = shown.find(call.label, call.name);
    const caller = arrival.sender ?? (await identifyCaller(ports, arrival));
    if (place === undefined) throw makeToolNotAllowed();
    const server = this.#findServer(place);
    const args = readArguments(call.arguments);
    const bytes = Buffer.byteLength(JSON.stringify(args));
    if (bytes > ARGUMENT_BYTES_MAX) throw refuseLength();
    const price = server.prices.get(place.tool) ?? server.pricePerCall;
    const tool: ToolRecord = {
      server: server.name,
      tool: place.tool,
      error: null,
      argumentBytes: bytes,
      resultBytes: null,
    };
    const right = { server: server.name, tool: place.tool };
    const called = { card: makeToolCard(server.name, place.tool, price), tool, right };
    const request = new ToolCall(ports, arrival, caller, called, args);
    joinToolCall(request, join(Math.ceil(price * request.markup)), surface);
    this.#nameTraced(request, call, place);
    const context = ports.toolRuns.begin(request, called.card);
    made.context = context;
    made.tool = tool;
    const limit = this.#watchLimit(request);
    try {
      return await ports.toolRuns.run(context, called.tool, (sent) =>
        this.#send(server, place, caller, sent),
      );
    } finally {
      limit?.clear();
    }
  }

  /** A reload may have taken the server or the tool away. The sender's own rights are looked at when the call is admitted. */
  #findServer({ server: name, tool }: ToolPlace): ToolServer {
    const server = this.#parts.ports.toolRules()?.servers.find((one) => one.name === name);
    if (server === undefined) throw makeUnavailable(name);
    if (!matchesPatterns(server.tools, tool)) throw makeToolNotAllowed();
    return server;
  }

  /** The operator sees the tool as the model that was asked for. */
  #logRefused({ label, name }: GatewayToolCall, context: LoopToolContext | null, fault: Fault): void {
    const { ports, arrival, shown } = this.#parts;
    const { modelAsked, selection } = arrival;
    const place = shown.find(label, name);
    arrival.modelAsked = place === undefined ? name : nameToolModel(place.server, place.tool);
    arrival.selection = null;
    logRefusal(ports, arrival, REFUSING, context, fault);
    arrival.modelAsked = modelAsked;
    arrival.selection = selection;
  }

  /** Says in the call's spans what is called, by the name at the address of all servers. */
  #nameTraced({ trace }: ToolCall, { index }: GatewayToolCall, { server, tool }: ToolPlace): void {
    const { recording = null } = trace ?? {};
    if (recording === null) return;
    const known = this.#parts.ports.toolServers.describe().find(({ name }) => name === server);
    const name = makeToolName(server, tool);
    recording.tool = { method: "tools/call", version: known?.era ?? "", name, rpcId: String(index) };
  }

  #send(server: ToolServer, { tool, headers }: ToolPlace, { key }: Caller, sent: SentTool) {
    const pass = readPass(server, headers);
    if (server.auth.kind === "pass" && pass === null)
      throw makeCredentialMissing(server.name, server.auth.header);
    const call = {
      method: "tools/call" as const,
      target: tool,
      arguments: sent.arguments,
      key,
      owner: nameOwner({ accountId: key.accountId, keyId: key.id, session: null }),
      meta: sent.traceparent === null ? {} : { traceparent: sent.traceparent },
      client: sent.ending,
      onProgress: null,
      onSend: sent.onSend,
    };
    return this.#parts.ports.toolServers.call(server.name, call, pass);
  }

  /** The client's own limit on the time ends a call under way. */
  #watchLimit({ limitAtMs, ending }: ToolCall) {
    if (!Number.isFinite(limitAtMs)) return null;
    const message =
      "The tool did not answer in time (limited by x-poundkey-timeout). The call may have been carried out.";
    const late = () => ending.end(new Fault("client_timeout", message, { shownCode: "tool_timeout" }));
    return this.#parts.ports.deadlines.watch(limitAtMs, { late });
  }
}

/** The model reads of a tool that the key may not use word for word as of one that doesn't exist. */
function describeFault(fault: Fault, { name }: GatewayToolCall, requestId: string): GatewayToolResult {
  if (fault.code === "tool_not_allowed")
    return { kind: "error", error: { code: CODES.params, message: `Unknown tool: ${name}` } };
  return { kind: "result", result: describeFailure(fault, requestId) };
}

/** Models write nothing where a tool takes no arguments. */
function readArguments(written: string): JsonObject {
  const given = written.trim() === "" ? {} : parseExactBounded(written, REQUEST_SHAPE);
  if (isObject(given)) return given;
  throw new Fault("invalid_value", "The arguments of the call are not a JSON object.");
}

function refuseLength(): Fault {
  return new Fault("request_too_large", `The arguments are larger than ${ARGUMENT_BYTES_MAX} bytes.`);
}
