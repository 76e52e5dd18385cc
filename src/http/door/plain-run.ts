// A request that is one question to a model, from what has arrived to its answer.
import { Fault } from "../../core/faults/fault.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { Caller } from "../../core/keys/key.ts";
import type { KeptExchange } from "../../core/log/kept.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { AnswerFlow, Take, WrittenAnswer, WrittenPart } from "../../gateway/answer/flow.ts";
import type { RequestContext } from "../../gateway/context.ts";
import { type Form, joinLists } from "../../operations/form.ts";
import type { ByteWriter, Document, Exchange, StreamWriter, Writer } from "../../surfaces/surface.ts";
import { chooseCompaction } from "../conversations/compaction.ts";
import { makeIncoming } from "../conversations/earlier.ts";
import { pinHistory } from "../conversations/history.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "./arrival.ts";
import { ClientCall } from "./client-call.ts";
import { type Constraints, openConstraints } from "./constraints.ts";
import type { Door } from "./ports.ts";
import type { Run } from "./run.ts";
import { AnswerStamp } from "./stamp.ts";

/** Reads what has arrived. Throws the Fault of what the surface doesn't take. */
export function readCall<F extends Form>(
  { ports, surface, plainFields, setups }: Door<F>,
  arrival: Arrival,
  caller: Caller,
  body: unknown,
): ClientCall<F> {
  const { key } = caller;
  const incoming = makeIncoming(ports, arrival.request, body, key, arrival.earlier);
  let asked: Constraints<F> | null = null;
  for (const field in asObject(body))
    if (!plainFields.has(field)) asked ??= openConstraints({ ports, surface, arrival, key }, body);
  const given = ports.turns.time(key.accountId, arrival.held.bytes, asked?.reader ?? surface.read, incoming);
  arrival.modelAsked = given.ask.model;
  const pin = given.history
    ? pinHistory(
        ports,
        given.history,
        setups.find(ports.snapshot(), given.ask.model, key).named,
        arrival.earlier.pin,
      )
    : arrival.earlier.pin;
  const exchange = given.compact ? chooseCompaction(ports.snapshot(), setups, key, given, pin) : given;
  const setup = setups.find(ports.snapshot(), exchange.ask.model, key);
  if (arrival.line !== null && exchange.ask.stream === true) throw refuseLineStream();
  const call = new ClientCall(
    ports,
    surface,
    arrival,
    caller,
    exchange,
    asked?.narrow(setup, exchange) ?? setup,
    pin,
  );
  asked?.mark(call);
  if (exchange.compact && pin === null) offerCompaction(call, asked, exchange);
  arrival.selection = call.selection;
  arrival.names = call.names;
  return call;
}

/** The provider would compact: lets a step have it done here. */
function offerCompaction<F extends Form>(
  call: ClientCall<F>,
  asked: Constraints<F> | null,
  exchange: Exchange<F>,
): void {
  call.compactHere = () => {
    call.take(exchange.compact?.(null) ?? exchange);
    asked?.mark(call);
  };
}

function refuseLineStream(): Fault {
  const message = "Unsupported parameter: 'stream'. A line of a batch is answered as a whole.";
  return new Fault("unsupported_parameter", message, { param: "stream" });
}

/** One question to a model. */
export class PlainRun<F extends Form> implements Run<F> {
  readonly call: ClientCall<F>;
  readonly ending: Ending;
  readonly #ports: HttpPorts;

  constructor(ports: HttpPorts, call: ClientCall<F>) {
    this.#ports = ports;
    this.call = call;
    this.ending = call.ending;
  }

  begin(): RequestContext<F> | Promise<RequestContext<F>> {
    const learned = this.call.selection.kind === "selector" ? this.#ports.learned() : null;
    return learned === null ? this.#ports.gateway.begin(this.call) : this.#beginLearned(learned);
  }

  /** A selector chooses by what was learned. */
  async #beginLearned(learned: Promise<unknown>): Promise<RequestContext<F>> {
    await learned;
    return this.plan();
  }

  /** Makes its plan. Throws the Fault of a request that can't be asked. */
  plan(): RequestContext<F> {
    return this.#ports.gateway.begin(this.call);
  }

  warmUp(): ClientCall<F> {
    return this.call;
  }

  ask(context: RequestContext<F>): Promise<F["reply"]> {
    return this.#ports.gateway.complete(context);
  }

  write(context: RequestContext<F>, reply: F["reply"]): JsonObject | Document {
    const { exchange } = this.call;
    // The answer itself can't say what its limit has cut.
    if (exchange.findCut) context.dropped = joinLists(context.dropped, exchange.findCut(reply));
    return exchange.whole(reply, new AnswerStamp(this.#ports, context));
  }

  stream(context: RequestContext<F>): WrittenAnswer {
    const { exchange } = this.call;
    const writer = exchange.writer(() => new AnswerStamp(this.#ports, context));
    const written = new WrittenFlow(this.#ports.gateway.stream(context), writer, exchange);
    return exchange.compact ? this.#writeLate(written, context) : written;
  }

  /** A step may have the request answered in another form. */
  #writeLate(written: WrittenFlow<F>, context: RequestContext<F>): WrittenFlow<F> {
    const { call } = this;
    const { compactHere } = call;
    if (compactHere)
      call.compactHere = () => {
        compactHere();
        written.writeBy(call.exchange.writer(() => new AnswerStamp(this.#ports, context)));
      };
    return written;
  }

  close(): void {
    this.call.held.release();
  }
}

/** The answer to one question as it comes. */
class WrittenFlow<F extends Form> implements WrittenAnswer {
  readonly #flow: AnswerFlow<readonly F["piece"][]>;
  #events: Writer<F["piece"]>;
  readonly #bytes: ByteWriter<F["piece"]> | undefined;
  #writer: StreamWriter<F["piece"]>;
  type: string | undefined;

  constructor(
    flow: AnswerFlow<readonly F["piece"][]>,
    events: Writer<F["piece"]>,
    { streamType, bytes }: Exchange<F>,
  ) {
    this.#flow = flow;
    this.#events = events;
    this.#bytes = bytes?.();
    this.#writer = this.#bytes ?? events;
    this.type = streamType;
  }

  /** Before it begins: a step has the request answered in another form. */
  writeBy(writer: Writer<F["piece"]>): void {
    this.#events = writer;
    this.#writer = writer;
  }

  get keepAlive(): string | null {
    return this.#writer.keepAlive;
  }

  begin(): Promise<unknown> {
    const bytes = this.#bytes;
    return bytes === undefined ? this.#flow.begin() : this.#beginBytes(bytes);
  }

  async #beginBytes(bytes: ByteWriter<F["piece"]>): Promise<void> {
    this.type = bytes.readType((await this.#flow.begin()) ?? []);
  }

  pour(take: Take<WrittenPart>): Promise<void> {
    return this.#flow.pour((pieces) => take(this.#writer.write(pieces)));
  }

  leave(): void {
    this.#flow.leave();
  }

  end(): string {
    return this.#writer.end();
  }

  fail(fault: Fault, requestId: string): string | null {
    return this.#writer.fail(fault, requestId);
  }

  finish(): JsonObject | undefined {
    return this.#events.finish?.();
  }
}

/** Returns what is kept of an answer. Null if nothing is. */
export function makeKept<F extends Form>(
  { exchange, kept }: ClientCall<F>,
  answer: JsonObject | undefined,
): KeptExchange | null {
  return kept === null || !exchange.keep || answer === undefined ? null : exchange.keep(kept.body, answer);
}
