// A Responses request whose model may call tools that the gateway runs: the questions to the model one by one, and the one answer.
import { Fault } from "../../../core/faults/fault.ts";
import { followEarlier } from "../../../core/json/growing.ts";
import { asNumber, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import type {
  GatewayToolCall,
  GatewayToolResult,
  ToolLoopEnd,
  ToolLoopTurn,
} from "../../../core/tools/gateway-tool-calls.ts";
import type { ChatForm } from "../../../operations/chat/decoder.ts";
import type { Usage } from "../../../operations/chat/form.ts";
import type { ShownServer } from "../../gateway-tools.ts";
import type { Exchange, Incoming, Stamp, ToolConversation } from "../../surface.ts";
import { findTrigger } from "../compaction/trigger.ts";
import { joinRequest, readAsked } from "../read.ts";
import { type ResponseContext, startResponse, writeResponse } from "../response.ts";
import { makeKept } from "../stored.ts";
import { RESPONSES_TEXTS } from "../texts.ts";
import { ResponseWriter } from "../writer.ts";
import { GatewayToolAnswer } from "./answer.ts";
import { ModelRequest } from "./model-request.ts";

/** OpenAI's least limit of the output: no model says anything with less. */
const OUTPUT_TOKENS_LEAST = 16;

export class GatewayToolConversation implements ToolConversation<ChatForm> {
  readonly callsMax: number | null;
  readonly #incoming: Incoming;
  /** The request as its answer repeats it. */
  readonly #given: JsonObject;
  readonly #kept: JsonObject;
  readonly #request: ModelRequest;
  readonly #answer: GatewayToolAnswer;
  /** The conversation, as the model is sent it. */
  #input: readonly unknown[];
  /** The model's last answer, and the results of its calls by their place. */
  #items: readonly JsonObject[] = [];
  #results: (JsonObject | undefined)[] = [];
  #turns = 0;
  /** The output of the model so far, all of which counts in the client's limit. */
  #outputTokens = 0;

  constructor(incoming: Incoming, shown: readonly ShownServer[]) {
    const { given, joined } = joinRequest(incoming);
    if (findTrigger(joined.input) !== null) throw refuseCompaction();
    this.callsMax = asNumber(given.max_tool_calls) ?? null;
    this.#incoming = { ...incoming, limits: { ...incoming.limits, storesUpstream: false } };
    this.#given = hideTokens(given);
    this.#kept = hideTokens(joined);
    this.#request = new ModelRequest(joined, shown);
    this.#answer = new GatewayToolAnswer(this.#given, shown, joined.input, this.#request.functions);
    this.#input = this.#request.input;
  }

  ask(mayCall: boolean): Exchange<ChatForm> | null {
    const most = asNumber(this.#given.max_output_tokens);
    const left = most === undefined ? undefined : most - this.#outputTokens;
    if (this.#turns > 0 && left !== undefined && left < OUTPUT_TOKENS_LEAST) return null;
    this.#goOn();
    const isFirst = this.#turns++ === 0;
    this.#answer.begin(this.#turns);
    const body = this.#request.write(this.#input, { mayCall, isFirst, outputTokensMax: left });
    const { asked, context } = readAsked(this.#incoming, this.#given, body);
    const keeps = isFirst && (context.keeps || this.#incoming.isRemembered === true);
    const answer = this.#answer;
    answer.keeps = context.keeps;
    return {
      ...asked,
      isToBeStored: false,
      ...(keeps ? { kept: { body: this.#kept, texts: RESPONSES_TEXTS }, keep: makeKept } : {}),
      whole: (reply, stamp) => writeResponse(reply, answer.stamp(stamp), context),
      writer: (stamp: () => Stamp) => makeWriter(answer, stamp, context),
    };
  }

  take(given: JsonObject): ToolLoopTurn {
    const { items, turn } = this.#answer.take(given);
    this.#items = items;
    this.#outputTokens += asNumber(asObject(given.usage).output_tokens) ?? 0;
    return turn;
  }

  answer(call: GatewayToolCall, result: GatewayToolResult): string {
    const { place, output, text } = this.#answer.answer(call, result);
    this.#results[place] = output;
    return text;
  }

  end(end: ToolLoopEnd<Usage>): string {
    return this.#answer.end(end);
  }

  fail(fault: Fault): string {
    return this.#answer.fail(fault);
  }

  finish(): JsonObject {
    return this.#answer.response;
  }

  /** The model's own turn goes back to it as it is, and the results behind it. */
  #goOn(): void {
    if (this.#items.length === 0) return;
    const results = this.#results.filter((one) => one !== undefined);
    const next = [...this.#input, ...this.#items, ...results];
    followEarlier(this.#input, next);
    this.#input = next;
    this.#items = [];
    this.#results = [];
  }
}

function makeWriter(answer: GatewayToolAnswer, stamp: () => Stamp, context: ResponseContext): ResponseWriter {
  let made: Stamp | null = null;
  const own = () => {
    made ??= answer.stamp(stamp());
    return made;
  };
  answer.stream(() => startResponse(context, own()));
  return new ResponseWriter(own, context, answer.events);
}

/** Nobody but the tool's server sees what proves the client there. */
function hideTokens(body: JsonObject): JsonObject {
  if (!Array.isArray(body.tools)) return body;
  const tools = body.tools.map((tool) => {
    if (tool?.authorization === undefined || asString(tool.type) !== "mcp") return tool;
    const { authorization: _authorization, ...shown } = tool;
    return shown;
  });
  return { ...body, tools };
}

function refuseCompaction(): Fault {
  const message =
    "'tools' with the gateway's own tool servers is not supported here. A conversation is compacted without tools: leave them out.";
  return new Fault("unsupported_parameter", message, { param: "tools" });
}
