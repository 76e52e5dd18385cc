// A turn of a connection: the same request as a POST with everything in it, answered in frames.

import { Fault, toFault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { KeptExchange } from "../../core/models/kept.ts";
import { logBug } from "../../core/world/bug.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import type { Stamp } from "../../surfaces/surface.ts";
import { type FoundEarlier, findEarlier } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";
import { refusalHeaders } from "../serve/answers.ts";
import type { Arrival } from "../serve/arrival.ts";
import { identify } from "../serve/auth.ts";
import type { ClientCall } from "../serve/client-call.ts";
import { factHeaders, makeReader } from "../serve/headers.ts";
import { noteRefusal } from "../serve/outlet.ts";
import { checkRoom, readPlaced } from "../serve/serve.ts";
import type { Setups } from "../serve/setups.ts";
import type { ServePorts } from "../tools/loop/port.ts";
import { addFields, splitEvents, writeFailure } from "./frames.ts";
import { makeRemembered, type RememberedTurn } from "./memory.ts";
import { beginRun, openOwnTools, type TurnRun } from "./turn-run.ts";

const SURFACE = OPENAI_RESPONSES;

/** The connection of a turn, as it concerns the turn. */
export interface TurnConnection {
  /** Sends a frame. Returns a promise to wait for before more is read from the provider, or null. */
  send(frame: string): Promise<void> | null;
  /** The same for several. */
  sendAll(frames: readonly string[]): Promise<void> | null;
  find(id: string): RememberedTurn | null;
  remember(turn: RememberedTurn): void;
  /** Takes what ends the turn if the client leaves. Returns what takes it back. */
  whenGone(leave: () => void): () => void;
}

/** A client's request for a response. */
export interface Turn {
  readonly arrival: Arrival;
  /** The account of the connection, and of all that it remembers. */
  readonly accountId: string;
  /** The fields of a POST. */
  readonly body: JsonObject;
  readonly streamId: string | null;
  /** The conversation that it goes on from, as it was remembered when the turn arrived. */
  readonly previous: RememberedTurn | null;
  /** True if nobody is asked, and only the conversation is remembered. */
  readonly isWarmUp: boolean;
}

/** The ports of turns, and the settings of models that they share. */
interface TurnPorts {
  readonly ports: ServePorts;
  readonly setups: Setups<ChatForm>;
}

/** The result of a turn: `left` if its client went first, `refused` if nobody was asked. */
type TurnOutcome = "completed" | "failed" | "refused" | "left";

interface EndedTurn {
  readonly outcome: TurnOutcome;
  /** The failure of a key that may not be used, with which the connection ends. Null for all others. */
  readonly refused: Fault | null;
}

/**
 * Throws the Fault `invalid_api_key` if the key was moved to another account: what the connection remembers belongs to the one
 * in which it was opened.
 */
export function checkAccount(key: GatewayKey, { accountId }: Pick<Turn, "accountId">): void {
  if (key.accountId === accountId) return;
  throw new Fault("invalid_api_key", "This key was moved to another account: open another connection.");
}

/** Runs a turn to its end. */
export async function runTurn(
  { ports, setups }: TurnPorts,
  turn: Turn,
  connection: TurnConnection,
): Promise<EndedTurn> {
  const { arrival, streamId } = turn;
  const answer = new TurnAnswer(streamId, connection);
  let context: RequestContext<ChatForm> | null = null;
  try {
    const caller = await identify(ports, arrival);
    const { key } = caller;
    arrival.key = key;
    checkAccount(key, turn);
    checkRoom(ports);
    const earlier = await findConversation(ports, key, turn, connection);
    const own = await openOwnTools({ ports, setups }, turn, caller, earlier);
    const call = own?.call ?? (await readPlaced(ports, SURFACE, setups, arrival, caller, turn.body, earlier));
    if (turn.isWarmUp) {
      warmUp(call, answer, connection);
      return { outcome: "completed", refused: null };
    }
    const run = own ?? (await beginRun(ports, call));
    ({ context } = run);
    return { outcome: await new RunningTurn(ports, run, answer).run(connection, earlier), refused: null };
  } catch (thrown) {
    const fault = toFault(thrown);
    logBug(ports, thrown);
    const { refusal, headers } = noteRefusal(ports, SURFACE, arrival, context, fault);
    const named = { ...refusalHeaders(fault, refusal, headers), "x-request-id": arrival.requestId };
    connection.send(writeFailure({ ...refusal, headers: named }, streamId));
    const outcome = fault.code === "client_gone" ? "left" : context?.attempts ? "failed" : "refused";
    return { outcome, refused: refusal.status === 401 ? fault : null };
  } finally {
    arrival.held.release();
  }
}

/** Throws the Fault `previous_response_not_found` if nothing here knows the response that the turn goes on from. */
async function findConversation(
  ports: HttpPorts,
  key: GatewayKey,
  { body, previous }: Turn,
  connection: TurnConnection,
): Promise<FoundEarlier> {
  const { previous_response_id: id } = body;
  const isRemembered = !ports.kept.keepsFor(key) || body.store === false;
  // The turn before it in its lane may have made it.
  const known = previous ?? (typeof id === "string" ? connection.find(id) : null);
  if (known) {
    const exchange: KeptExchange = { id: known.id, itemIds: [], input: known.items, response: {} };
    return { keeping: { previous: exchange, items: new Map() }, isRemembered, stored: null, pin: null };
  }
  try {
    const found = await findEarlier(ports, SURFACE, key, body);
    const isKnown = found.stored !== null || Boolean(found.keeping?.previous);
    if (typeof id === "string" && !isKnown) throw makeUnknown(id);
    if (found.stored !== null) return found;
    return { ...found, keeping: found.keeping ?? { previous: null, items: new Map() }, isRemembered };
  } catch (thrown) {
    const isUnknown = thrown instanceof Fault && thrown.code === "not_found" && typeof id === "string";
    throw isUnknown ? makeUnknown(id) : thrown;
  }
}

function makeUnknown(id: string): Fault {
  const message = `Previous response with id '${id.slice(0, 100)}' not found: send the whole conversation.`;
  return new Fault("previous_response_not_found", message, { param: "previous_response_id" });
}

/** Frames of one answer, in order. The first has the headers of the answer over HTTP. */
class TurnAnswer {
  readonly #streamId: string | null;
  readonly #connection: TurnConnection;
  #headers: JsonObject | null = null;

  constructor(streamId: string | null, connection: TurnConnection) {
    this.#streamId = streamId;
    this.#connection = connection;
  }

  /** Sets what the first frame carries. */
  head(headers: JsonObject): void {
    this.#headers = headers;
  }

  /** Sends a stream's events. */
  write(text: string): Promise<void> | null {
    return this.#connection.sendAll(splitEvents(text).map((frame) => this.#complete(frame)));
  }

  send(frame: string): Promise<void> | null {
    return this.#connection.send(this.#complete(frame));
  }

  /** Only the first frame has headers, and most turns have no name of a lane. */
  #complete(frame: string): string {
    const headers = this.#headers;
    if (headers === null && this.#streamId === null) return frame;
    this.#headers = null;
    const more = {
      ...(headers === null ? {} : { headers }),
      ...(this.#streamId === null ? {} : { stream_id: this.#streamId }),
    };
    return addFields(frame, more);
  }
}

/** A request that runs, and what is made of its answer. */
class RunningTurn {
  readonly #ports: HttpPorts;
  readonly #run: TurnRun;
  readonly #answer: TurnAnswer;

  constructor(ports: HttpPorts, run: TurnRun, answer: TurnAnswer) {
    this.#ports = ports;
    this.#run = run;
    this.#answer = answer;
  }

  /** Throws the Fault of an answer that hasn't begun. A later failure is its last event. */
  async run(connection: TurnConnection, earlier: FoundEarlier): Promise<TurnOutcome> {
    const stay = connection.whenGone(() => this.#run.leave());
    try {
      await this.#run.begin();
      this.#head();
      return await this.#pour(connection, earlier);
    } finally {
      stay();
    }
  }

  #head(): void {
    const { clock } = this.#ports;
    const { context, call } = this.#run;
    const headers = factHeaders(context, makeReader(clock, SURFACE), context.granted);
    this.#answer.head({ "x-request-id": call.requestId, ...headers });
  }

  async #pour(connection: TurnConnection, earlier: FoundEarlier): Promise<TurnOutcome> {
    const run = this.#run;
    const { call } = run;
    try {
      await run.pour((text) => this.#answer.write(text));
      const kept = this.#makeKept();
      if (kept && !earlier.isRemembered) await this.#ports.kept.keep(call.key, kept);
      this.#answer.write(run.end());
      if (kept && earlier.stored === null) connection.remember(makeRemembered(kept));
      return "completed";
    } catch (thrown) {
      logBug(this.#ports, thrown);
      const fault = toFault(thrown);
      this.#answer.write(run.fail(fault, call.requestId) ?? "");
      return fault.code === "client_gone" ? "left" : "failed";
    }
  }

  #makeKept(): KeptExchange | null {
    const { exchange, kept } = this.#run.call;
    const response = this.#run.finish();
    if (!exchange.keep || kept === null || response === undefined) return null;
    return exchange.keep(kept.body, response);
  }
}

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0, charged: 0 };

/** Answers without asking anybody: what the client sent is remembered for the next turn. */
function warmUp(call: ClientCall<ChatForm>, answer: TurnAnswer, connection: TurnConnection): void {
  const { id, created, exchange, kept } = call;
  const model = call.selection.kind === "card" ? call.selection.card.id : call.ask.model;
  const stamp: Stamp = {
    id,
    created,
    model,
    nameStored: () => id,
    sealHistory: () => null,
    countPrompt: () => 0,
  };
  const writer = exchange.writer(() => stamp);
  writer.write([{ choices: [], usage: NO_USAGE }]);
  answer.head({ "x-request-id": call.requestId });
  for (const frame of splitEvents(writer.end()))
    if (!frame.startsWith('{"type":"response.in_progress"')) answer.send(frame);
  const response = writer.finish?.();
  if (exchange.keep && kept !== null && response)
    connection.remember(makeRemembered(exchange.keep(kept.body, response)));
}
