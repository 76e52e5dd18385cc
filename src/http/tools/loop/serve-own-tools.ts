// Requests whose models may call the gateway's own tools: from the request to its answer, whole or streamed.
import { Fault, toFault } from "../../../core/fault.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import { logBug } from "../../../core/world/bug.ts";
import { Ending } from "../../../core/world/ending.ts";
import type { Form } from "../../../operations/form.ts";
import type { NamedServer } from "../../../surfaces/own-tools.ts";
import { Document, type Surface } from "../../../surfaces/surface.ts";
import type { FoundEarlier } from "../../conversations/earlier.ts";
import { makeIncoming } from "../../conversations/earlier.ts";
import { placeFiles } from "../../files/placed.ts";
import { createAnswerResponse, createRefusalResponse, STREAM_HEADERS } from "../../serve/answers.ts";
import type { Arrival } from "../../serve/arrival.ts";
import { readLimit } from "../../serve/client-call.ts";
import { ClientWatch } from "../../serve/client-watch.ts";
import { factHeaders, limitHeaders, makeReader } from "../../serve/headers.ts";
import { noteRefusal } from "../../serve/outlet.ts";
import type { Setups } from "../../serve/setups.ts";
import { AnswerStamp } from "../../serve/stamp.ts";
import { startStream } from "../../serve/stream.ts";
import type { ToolPorts } from "../ports.ts";
import type { ToolViews } from "../view.ts";
import { LoopedAnswer, type LoopedParts, type Question } from "./looped-answer.ts";
import { LoopedFlow } from "./looped-flow.ts";
import { OwnCalls } from "./own-calls.ts";
import type { OwnStream, OwnToolsPort, OwnToolsRequest } from "./port.ts";
import { type ShownTools, showTools } from "./shown-tools.ts";

/** A response on its way. */
interface RunningResponse<F extends Form> {
  readonly parts: LoopedParts<F>;
  readonly answer: LoopedAnswer<F>;
  readonly first: Question<F>;
  /** Called once, when nothing of it is under way any more. */
  readonly close: () => void;
}

/** A request with the servers that it names. */
interface NamingRequest<F extends Form> extends OwnToolsRequest<F> {
  readonly named: readonly NamedServer[];
}

/** The parts that hold for a request however often it is read. */
type GivenParts<F extends Form> = Pick<LoopedParts<F>, "bounds" | "limitAtMs" | "root" | "shown">;

const NO_SERVERS: readonly NamedServer[] = [];

export class OwnToolsDoor implements OwnToolsPort {
  readonly #ports: ToolPorts;
  readonly #views: ToolViews;

  constructor(ports: ToolPorts, views: ToolViews) {
    this.#ports = ports;
    this.#views = views;
  }

  answer<F extends Form>(
    surface: Surface<F>,
    setups: Setups<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
    earlier: FoundEarlier,
  ): Promise<Response> | null {
    const named = this.#find(surface, body);
    return named.length === 0
      ? null
      : this.#answer({ surface, setups, arrival, caller, body, earlier, named });
  }

  stream<F extends Form>(request: OwnToolsRequest<F>): Promise<OwnStream<F>> | null {
    const named = this.#find(request.surface, request.body);
    return named.length === 0 ? null : this.#open({ ...request, named });
  }

  fill<F extends Form>(
    surface: Surface<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
  ): Promise<JsonObject> | null {
    const named = this.#find(surface, body);
    const { ownTools } = surface;
    if (ownTools === undefined || named.length === 0) return null;
    return this.#show(arrival, caller, named).then(({ servers }) => ownTools.fill(body, servers));
  }

  async #show({ request }: Arrival, { key }: Caller, named: readonly NamedServer[]): Promise<ShownTools> {
    const levels = await this.#ports.toolLevels(key);
    return showTools(this.#views, { key, headers: request.headers, levels }, named);
  }

  /** Throws the Fault of a field that isn't valid. Empty if the body names no tools of the gateway. */
  #find<F extends Form>({ ownTools }: Surface<F>, body: unknown): readonly NamedServer[] {
    const rules = ownTools === undefined ? undefined : this.#ports.toolRules();
    if (ownTools === undefined || rules === undefined) return NO_SERVERS;
    const { publicUrl } = this.#ports.server;
    return ownTools.find(body, { rules, url: publicUrl === null ? null : `${publicUrl}/mcp` });
  }

  async #answer<F extends Form>(request: NamingRequest<F>): Promise<Response> {
    const { arrival, surface } = request;
    const ports = this.#ports;
    const root = new Ending();
    const client = new ClientWatch(ports, arrival, root);
    let running: RunningResponse<F> | null = null;
    try {
      running = await this.#begin(request, root);
      return running.first.call.ask.stream === true
        ? await this.#stream(running, client)
        : await this.#complete(running, client);
    } catch (thrown) {
      client.end();
      // Otherwise nothing was made of the body.
      if (running === null) arrival.held.discard();
      else running.close();
      const fault = toFault(thrown);
      if (fault.code === "internal_error") throw thrown;
      const context = running?.first.context ?? null;
      const { refusal, headers } = noteRefusal(ports, surface, arrival, context, fault);
      return createRefusalResponse(fault, refusal, headers);
    }
  }

  async #open<F extends Form>(request: NamingRequest<F>): Promise<OwnStream<F>> {
    const { parts, answer, first, close } = await this.#begin(request, new Ending());
    const flow = new LoopedFlow(parts, answer, close);
    return { ...first, flow, finish: () => parts.conversation.finish() };
  }

  /** Throws the Fault of a request that can't be asked. */
  async #begin<F extends Form>(request: NamingRequest<F>, root: Ending): Promise<RunningResponse<F>> {
    const { arrival, caller, named } = request;
    const ports = this.#ports;
    const bounds = ports.toolRules()?.loop;
    if (bounds === undefined) throw new Fault("unsupported_parameter", "There are no tool servers here.");
    const shown = await this.#show(arrival, caller, named);
    const limitAtMs = readLimit(ports, arrival.request.headers);
    const prepared = await this.#prepare(request, { shown, bounds, limitAtMs, root });
    if (prepared.first.call.selection.kind === "selector") await ports.learned();
    const ending = ports.deadlines.watch(ports.deadlines.nowMs() + bounds.totalMs, {
      late: () => root.end(makeTotalFault(bounds.totalMs)),
    });
    ports.gateway.underWay.enter(root, prepared.first.call.id);
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      ending.clear();
      ports.gateway.underWay.leave(root);
      prepared.answer.close();
      arrival.held.release();
    };
    return { ...prepared, close };
  }

  /** Files that the request names are looked for once it is refused for them. */
  async #prepare<F extends Form>(
    request: NamingRequest<F>,
    own: GivenParts<F>,
  ): Promise<Omit<RunningResponse<F>, "close">> {
    const { surface, caller, arrival, body } = request;
    try {
      return this.#read(request, own);
    } catch (thrown) {
      const { key } = caller;
      const refused = { family: surface.family, key, body, held: arrival.held, thrown };
      return this.#read({ ...request, body: await placeFiles(this.#ports, refused) }, own);
    }
  }

  #read<F extends Form>(
    { surface, setups, arrival, caller, body, earlier }: OwnToolsRequest<F>,
    own: GivenParts<F>,
  ): Omit<RunningResponse<F>, "close"> {
    const ports = this.#ports;
    const { key } = caller;
    const incoming = makeIncoming(ports, arrival.request, body, key, earlier);
    const conversation = surface.ownTools?.begin(incoming, own.shown.servers);
    if (conversation === undefined) throw new Error("The surface has no tools of the gateway.");
    const calls = new OwnCalls({ ports, arrival, shown: own.shown, surface: surface.name });
    const { pin } = earlier;
    const parts = { ...own, ports, surface, setups, arrival, caller, pin, conversation, calls };
    const answer = new LoopedAnswer(parts);
    const first = ports.turns.time(key.accountId, arrival.held.bytes, () => answer.prepare(), null);
    return { parts, answer, first };
  }

  async #complete<F extends Form>(
    { parts, answer, first, close }: RunningResponse<F>,
    client: ClientWatch,
  ): Promise<Response> {
    const { ports, surface, conversation } = parts;
    const ask = async ({ exchange, context }: Question<F>) => {
      const reply = await ports.gateway.complete(context);
      const written = exchange.whole(reply, new AnswerStamp(ports, context));
      if (written instanceof Document) throw new Error("The answer of a model with tools is no object.");
      return conversation.take(written);
    };
    await answer.run({ ask, show: () => null });
    await keep(parts, first);
    client.end();
    close();
    const headers = factHeaders(answer.describe(first), makeReader(ports.clock, surface));
    return createAnswerResponse(JSON.stringify(conversation.finish()), headers);
  }

  async #stream<F extends Form>(
    { parts, answer, first, close }: RunningResponse<F>,
    client: ClientWatch,
  ): Promise<Response> {
    const { ports, surface, arrival, root } = parts;
    const flow = new LoopedFlow(parts, answer, close);
    const reader = makeReader(ports.clock, surface);
    const { body, early } = await startStream({
      answer: flow,
      writer: flow,
      beforeEnd: () => keep(parts, first),
      requestId: arrival.requestId,
      deadlines: ports.deadlines,
      keepAliveMs: ports.server.keepAliveMs,
      client,
      onLeft: () => root.end(),
      onFailure: (thrown) => logBug(ports, thrown),
    });
    const { granted } = first.context;
    const now = { ...reader, monotonicMs: ports.clock.monotonicMs() };
    const headers = { ...STREAM_HEADERS };
    return new Response(body, {
      headers: early
        ? limitHeaders(granted, reader, headers)
        : factHeaders(first.context, now, granted, headers),
    });
  }
}

async function keep<F extends Form>(
  { ports, conversation }: LoopedParts<F>,
  { exchange, call }: Question<F>,
): Promise<void> {
  if (exchange.keep && call.kept)
    await ports.kept.keep(call.key, exchange.keep(call.kept.body, conversation.finish()));
}

/** Clients see it as the code of a provider that is too slow; to the log, it isn't the provider's doing. */
function makeTotalFault(totalMs: number): Fault {
  const message = `The response took longer than ${totalMs / 1000} s (limited by mcp.loop.total).`;
  return new Fault("client_timeout", message, { shownCode: "upstream_timeout" });
}
