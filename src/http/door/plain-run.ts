// A request that is one question to a model, from what has arrived to its answer.
import { Fault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Caller } from "../../core/keys/key.ts";
import type { KeptExchange } from "../../core/models/kept.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { WrittenAnswer } from "../../gateway/answer/flow.ts";
import { type Facts, NO_FACTS } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { type Form, joinLists } from "../../operations/form.ts";
import { Document, type Writer } from "../../surfaces/surface.ts";
import { chooseCompaction } from "../conversations/compaction.ts";
import { makeIncoming } from "../conversations/earlier.ts";
import { pinHistory } from "../conversations/history.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "./arrival.ts";
import { ClientCall } from "./client-call.ts";
import type { Door } from "./ports.ts";
import type { Run } from "./run.ts";
import { AnswerStamp } from "./stamp.ts";
import { WrittenFlow } from "./written-flow.ts";

/** Reads what has arrived. Throws the Fault of what the surface doesn't take. */
export function makeRun<F extends Form>(
  door: Door<F>,
  arrival: Arrival,
  caller: Caller,
  body: unknown,
): Run<F> {
  return (
    door.ownTools?.open(door, arrival, caller, body) ??
    new PlainRun(door.ports, readCall(door, arrival, caller, body))
  );
}

export function readCall<F extends Form>(
  { ports, surface, setups }: Door<F>,
  arrival: Arrival,
  caller: Caller,
  body: unknown,
): ClientCall<F> {
  const { key } = caller;
  const { held, earlier } = arrival;
  const incoming = makeIncoming(ports, arrival.request, body, key, earlier);
  const given = ports.turns.time(key.accountId, held.bytes, surface.read, incoming);
  arrival.modelAsked = given.ask.model;
  const pin = given.history
    ? pinHistory(ports, given.history, setups.find(ports.snapshot(), given.ask.model, key).named, earlier.pin)
    : earlier.pin;
  const exchange = given.compact ? chooseCompaction(ports.snapshot(), setups, key, given, pin) : given;
  const setup = setups.find(ports.snapshot(), exchange.ask.model, key);
  if (arrival.line !== null && exchange.ask.stream === true) throw refuseLineStream();
  const call = new ClientCall(ports, surface, arrival, caller, exchange, setup, pin);
  arrival.selection = call.selection;
  arrival.names = call.names;
  return call;
}

function refuseLineStream(): Fault {
  const message = "Unsupported parameter: 'stream'. A line of a batch is answered as a whole.";
  return new Fault("unsupported_parameter", message, { param: "stream" });
}

/** One question to a model. */
export class PlainRun<F extends Form> implements Run<F> {
  readonly call: ClientCall<F>;
  readonly #ports: HttpPorts;
  context: RequestContext<F> | null = null;
  #writer: Writer<F["piece"]> | null = null;

  constructor(ports: HttpPorts, call: ClientCall<F>) {
    this.#ports = ports;
    this.call = call;
  }

  get ending(): Ending {
    return this.call.ending;
  }

  get facts(): Facts {
    return this.context ?? NO_FACTS;
  }

  begin(): Promise<unknown> | null {
    const learned = this.call.selection.kind === "selector" ? this.#ports.learned() : null;
    if (learned !== null) return learned.then(() => this.plan());
    this.plan();
    return null;
  }

  /** Makes its plan. Throws the Fault of a request that can't be asked. */
  plan(): RequestContext<F> {
    this.context = this.#ports.gateway.begin(this.call);
    return this.context;
  }

  warmUp(): null {
    return null;
  }

  ask(): Promise<F["reply"]> {
    return this.#ports.gateway.complete(this.#begun);
  }

  write(reply: F["reply"]): JsonObject | Document {
    const context = this.#begun;
    const { exchange } = this.call;
    // The answer itself can't say what its limit has cut.
    if (exchange.findCut) context.dropped = joinLists(context.dropped, exchange.findCut(reply));
    return exchange.whole(reply, new AnswerStamp(this.#ports, context));
  }

  stream(): WrittenAnswer {
    const context = this.#begun;
    const { exchange } = this.call;
    this.#writer = exchange.writer(() => new AnswerStamp(this.#ports, context));
    const flow = this.#ports.gateway.stream(context);
    const bytes = exchange.bytes?.();
    return bytes === undefined
      ? new WrittenFlow(flow, this.#writer, exchange.streamType)
      : new WrittenFlow(flow, bytes, exchange.streamType, bytes);
  }

  finish(): JsonObject | undefined {
    return this.#writer?.finish?.();
  }

  close(): void {
    this.call.held.release();
  }

  get #begun(): RequestContext<F> {
    if (this.context === null) throw new Error("The request hasn't begun.");
    return this.context;
  }
}

/** Returns the whole answer in the surface's form, once it is kept if it is to be. */
export function writeWhole<F extends Form>(
  ports: HttpPorts,
  run: Run<F>,
  reply: F["reply"] | null,
): JsonObject | Document | Promise<JsonObject | Document> {
  const answer = run.write(reply);
  const kept = answer instanceof Document ? null : makeKept(run.call, answer);
  return kept === null ? answer : ports.kept.keep(run.call.key, kept).then(() => answer);
}

/** Returns what is kept of an answer. Null if nothing is. */
export function makeKept<F extends Form>(
  { exchange, kept }: ClientCall<F>,
  answer: JsonObject | undefined,
): KeptExchange | null {
  return kept === null || !exchange.keep || answer === undefined ? null : exchange.keep(kept.body, answer);
}
